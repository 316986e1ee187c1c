package faults

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/executor"
)

// startServer starts a server of one's own making in this process.
func startServer(t *testing.T, change func(*server.Options)) *server.Server {
	t.Helper()
	o := &server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true,
		JetStream: true, StoreDir: t.TempDir()}
	change(o)
	s, err := server.NewServer(o)
	require.NoError(t, err)
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	require.True(t, s.ReadyForConnections(10*time.Second))
	return s
}

func dial(t *testing.T, s *server.Server, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(s.ClientURL(), opts...)
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

func TestJoinRefusesAServerWithoutJetStream(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) { o.JetStream = false })
	_, err := cluster.Join(testContext(t, 20*time.Second), dial(t, s))
	require.ErrorIs(t, err, cluster.ErrUnsupported)
	require.ErrorContains(t, err, `pool "tasks"`)
	require.ErrorContains(t, err, "JetStream is off")
}

// A server that says of itself that it is old: a line of the protocol is all there is to it.
func TestJoinRefusesAnOldServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			info, _ := json.Marshal(map[string]any{"server_id": "X", "version": "2.11.4",
				"proto": 1, "headers": true, "jetstream": true, "max_payload": 1 << 20})
			_, _ = fmt.Fprintf(c, "INFO %s\r\n", info)
			go func() {
				buffer := make([]byte, 4096)
				for {
					n, err := c.Read(buffer)
					if err != nil {
						return
					}
					if strings.Contains(string(buffer[:n]), "PING") {
						_, _ = c.Write([]byte("PONG\r\n"))
					}
				}
			}()
		}
	}()
	nc, err := nats.Connect(l.Addr().String())
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	_, err = cluster.Join(testContext(t, 20*time.Second), nc)
	require.ErrorIs(t, err, cluster.ErrUnsupported)
	require.ErrorContains(t, err, "2.11.4")
}

func TestJoinRefusesAStreamOfAnotherShape(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		config jetstream.StreamConfig
		says   string
	}{
		"retention": {jetstream.StreamConfig{Subjects: []string{"punctual.tasks.arm.>",
			"punctual.tasks.run.>"}, AllowMsgSchedules: true, AllowRollup: true,
			Retention: jetstream.WorkQueuePolicy}, "retention"},
		"limit": {jetstream.StreamConfig{Subjects: []string{"punctual.tasks.arm.>",
			"punctual.tasks.run.>"}, AllowMsgSchedules: true, AllowRollup: true, MaxMsgs: 1000},
			"limit"},
		"schedules": {jetstream.StreamConfig{Subjects: []string{"punctual.tasks.arm.>",
			"punctual.tasks.run.>"}}, "schedules"},
		"subjects": {jetstream.StreamConfig{Subjects: []string{"other"}}, "subjects"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startServer(t, func(*server.Options) {})
			ctx := testContext(t, 20*time.Second)
			nc := dial(t, s)
			js, err := jetstream.New(nc)
			require.NoError(t, err)
			test.config.Name = "PUNCTUAL_tasks"
			test.config.Metadata = map[string]string{"punctual.protocol": "2"}
			_, err = js.CreateStream(ctx, test.config)
			require.NoError(t, err)
			_, err = cluster.Join(ctx, nc)
			require.ErrorIs(t, err, cluster.ErrShape)
			require.ErrorContains(t, err, test.says)
		})
	}
	t.Run("replicas", func(t *testing.T) {
		l := startLocal(t)
		_, err := cluster.Join(testContext(t, 20*time.Second), l.conn, cluster.Replicas(3))
		require.ErrorIs(t, err, cluster.ErrShape)
		require.ErrorContains(t, err, "replicas 1 instead of 3")
	})
}

// A bucket that is not as it has to be would refuse outcomes, and what has run would run again; or
// it would lose them.
func TestJoinRefusesABucketOfAnotherShape(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(*server.Options) {})
	ctx := testContext(t, 30*time.Second)
	nc := dial(t, s)
	js, err := jetstream.New(nc)
	require.NoError(t, err)
	for name, test := range map[string]struct {
		config jetstream.KeyValueConfig
		says   string
	}{
		"bytes":  {jetstream.KeyValueConfig{MaxBytes: 60_000}, "limit"},
		"value":  {jetstream.KeyValueConfig{MaxValueSize: 1000}, "limit"},
		"memory": {jetstream.KeyValueConfig{Storage: jetstream.MemoryStorage}, "storage"},
	} {
		test.config.Bucket, test.config.TTL = "PUNCTUAL_"+name, 24*time.Hour
		_, err = js.CreateKeyValue(ctx, test.config)
		require.NoError(t, err)
		_, err = cluster.Join(ctx, nc, cluster.Name(name))
		require.ErrorIs(t, err, cluster.ErrShape, name)
		require.ErrorContains(t, err, test.says)
		require.ErrorContains(t, err, "KV_PUNCTUAL_"+name)
	}
	_, err = cluster.Join(ctx, nc)
	require.NoError(t, err)
	bucket, err := js.Stream(ctx, "KV_PUNCTUAL_tasks")
	require.NoError(t, err)
	config := bucket.CachedInfo().Config
	config.MaxMsgs = 1000
	_, err = js.UpdateStream(ctx, config)
	require.NoError(t, err)
	_, err = cluster.Join(ctx, nc)
	require.ErrorIs(t, err, cluster.ErrShape)
	require.ErrorContains(t, err, "limit")
}

func TestJoinWithoutPermission(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "all", Password: "x"},
			{Username: "few", Password: "x", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Deny: []string{"$JS.API.>"}},
				Subscribe: &server.SubjectPermission{Allow: []string{">"}}}},
		}
	})
	_, err := cluster.Join(testContext(t, 20*time.Second), dial(t, s, nats.UserInfo("few", "x")))
	require.ErrorIs(t, err, cluster.ErrPermission)
}

func TestSubmitWithoutPermission(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) {
		o.Users = []*server.User{
			{Username: "all", Password: "x"},
			{Username: "reads", Password: "x", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Deny: []string{"punctual.>"}},
				Subscribe: &server.SubjectPermission{Allow: []string{">"}}}},
		}
	})
	ctx := testContext(t, 20*time.Second)
	_, err := cluster.Join(ctx, dial(t, s, nats.UserInfo("all", "x")))
	require.NoError(t, err)
	p, err := cluster.Join(ctx, dial(t, s, nats.UserInfo("reads", "x")))
	require.NoError(t, err)
	_, err = cluster.Submit(ctx, p, cluster.Define("t", race), 0)
	require.ErrorIs(t, err, cluster.ErrPermission)
}

func TestAFullServer(t *testing.T) {
	t.Parallel()
	s := startServer(t, func(o *server.Options) { o.JetStreamMaxStore = 1 << 20 })
	ctx := testContext(t, time.Minute)
	p, err := cluster.Join(ctx, dial(t, s))
	require.NoError(t, err)
	task := cluster.Define("fat", func(context.Context, string) (int, error) { return 0, nil })
	fat := strings.Repeat("x", 100_000)
	for range 50 {
		if _, err = cluster.Submit(ctx, p, task, fat); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, cluster.ErrFull)
	require.ErrorContains(t, err, `task "fat"`)
}

func TestAPayloadThatIsTooLarge(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	task := cluster.Define("fat", func(context.Context, string) (int, error) { return 0, nil })
	_, err := cluster.Submit(testContext(t, time.Minute), l.pool, task, strings.Repeat("x", 2<<20))
	require.ErrorIs(t, err, cluster.ErrInvalid)
	require.ErrorContains(t, err, `task "fat"`)
}

// A payload of another version of the code is given up at once, and kept.
func TestAPayloadThatDoesNotDecode(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	old := cluster.Define("task", func(context.Context, string) (int, error) { return 0, nil })
	l.serve(t, cluster.Define("task", func(context.Context, []int) (int, error) { return 0, nil }))
	f, err := cluster.Submit(ctx, l.pool, old, "text")
	require.NoError(t, err)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrAbandoned)
	require.ErrorContains(t, err, "[]int")
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	dead, err := js.Stream(ctx, "PUNCTUAL_tasks_DEAD")
	require.NoError(t, err)
	m, err := dead.GetLastMsgForSubject(ctx, "punctual.tasks.dead.task."+f.ID())
	require.NoError(t, err)
	require.Equal(t, `"text"`, string(m.Data))
	l.requireEmpty(t)
}

// While there is no server a submission waits; it is told when its context ends, or the connection
// is closed.
func TestNoServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ctx := testContext(t, time.Minute)
	s, err := embedded.Start(ctx, dir, embedded.Listen("127.0.0.1:0"))
	require.NoError(t, err)
	address := strings.TrimPrefix(s.URL(), "nats://")
	nc, err := connect(s.URL())
	require.NoError(t, err)
	defer nc.Close()
	p, err := cluster.Join(ctx, nc)
	require.NoError(t, err)
	task := cluster.Define("task", race)
	s.Close()

	short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
	defer cancel()
	_, err = cluster.Submit(short, p, task, 0)
	require.ErrorIs(t, err, cluster.ErrUnavailable)
	require.ErrorIs(t, err, context.DeadlineExceeded)

	accepted := make(chan error, 1)
	go func() {
		_, err := cluster.Submit(ctx, p, task, 0)
		accepted <- err
	}()
	time.Sleep(100 * time.Millisecond)
	s, err = embedded.Start(ctx, dir, embedded.Listen(address))
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, <-accepted)

	f, err := cluster.Submit(ctx, p, task, 0)
	require.NoError(t, err)
	nc.Close()
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrClosed)
	_, err = cluster.Submit(ctx, p, task, 0)
	require.ErrorIs(t, err, cluster.ErrClosed)
}

// The longest names that are allowed work, with signs that have to be escaped.
func TestTheLongestNames(t *testing.T) {
	t.Parallel()
	l := startLocal(t, cluster.Name(strings.Repeat("p", 100)))
	ctx := testContext(t, time.Minute)
	long := strings.Repeat("ä. >*", 100)[:66] // each sign that is not plain takes three
	task := cluster.Define(long, func(_ context.Context, n int) (int, error) { return n, nil })
	ran := make(chan struct{}, 10)
	tick := cluster.Define("tick"+strings.Repeat("t", 190), func(context.Context, int) (int, error) {
		ran <- struct{}{}
		return 0, nil
	})
	l.serve(t, task, tick)
	f, err := cluster.Submit(ctx, l.pool, task, 7)
	require.NoError(t, err)
	n, err := f.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	s, err := cluster.AtFixedRate(ctx, l.pool, long, 0, 50*time.Millisecond, tick, 0)
	require.NoError(t, err)
	<-ran
	<-ran
	require.NoError(t, s.Cancel(ctx))
	stats, err := l.pool.Stats(ctx)
	require.NoError(t, err)
	require.Equal(t, "tick"+strings.Repeat("t", 190), stats.Tasks[0].Task)
	require.Equal(t, long, stats.Tasks[1].Task)
}

func TestOneServerHasNoReplicas(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	_, err := cluster.Join(testContext(t, time.Minute), l.conn, cluster.Name("other"),
		cluster.Replicas(3))
	require.ErrorIs(t, err, cluster.ErrUnsupported)
}

func TestWhatIsInvalid(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	ok := cluster.Define("ok", race)
	for name, use := range map[string]func() error{
		"no connection": func() error { _, err := cluster.Join(ctx, nil); return err },
		"pool name": func() error {
			_, err := cluster.Join(ctx, l.conn, cluster.Name("a.b"))
			return err
		},
		"pool named as dead letters": func() error {
			_, err := cluster.Join(ctx, l.conn, cluster.Name("tasks_DEAD"))
			return err
		},
		"replicas": func() error { _, err := cluster.Join(ctx, l.conn, cluster.Replicas(2)); return err },
		"workers":  func() error { _, err := cluster.Join(ctx, l.conn, cluster.Workers(0)); return err },
		"keep failed": func() error {
			_, err := cluster.Join(ctx, l.conn, cluster.KeepFailed(time.Millisecond))
			return err
		},
		"no task":   func() error { return l.pool.Serve(ctx) },
		"same name": func() error { return l.pool.Serve(ctx, ok, ok) },
		"zero task": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Task[int, int]{}, 0)
			return err
		},
		"task name": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Define("", race), 0)
			return err
		},
		"no function": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Define[int, int]("x", nil), 0)
			return err
		},
		"lease": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Define("x", race, cluster.Lease(1)), 0)
			return err
		},
		"attempts": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Define("x", race, cluster.Attempts(0)), 0)
			return err
		},
		"payload": func() error {
			f := func(context.Context, func()) (int, error) { return 0, nil }
			_, err := cluster.Submit(ctx, l.pool, cluster.Define("x", f), func() {})
			return err
		},
		"period": func() error {
			_, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, 0, ok, 0)
			return err
		},
		"delay": func() error {
			_, err := cluster.WithFixedDelay(ctx, l.pool, "s", 0, -1, ok, 0)
			return err
		},
		"initial": func() error {
			_, err := cluster.AtFixedRate(ctx, l.pool, "s", -1, time.Second, ok, 0)
			return err
		},
		"catch-up": func() error {
			_, err := cluster.AtFixedRate(ctx, l.pool, "s", 0, time.Second, ok, 0,
				cluster.CatchUp(executor.Shift))
			return err
		},
		"long task name": func() error {
			_, err := cluster.Submit(ctx, l.pool, cluster.Define(strings.Repeat("n", 201), race), 0)
			return err
		},
		"long series name": func() error {
			_, err := cluster.AtFixedRate(ctx, l.pool, strings.Repeat(".", 70), 0, time.Second, ok, 0)
			return err
		},
		"long lease": func() error {
			return l.pool.Serve(ctx, cluster.Define("x", race, cluster.Lease(3*time.Hour)))
		},
		"series name": func() error {
			_, err := cluster.AtFixedRate(ctx, l.pool, "", 0, time.Second, ok, 0)
			return err
		},
		"calendar": func() error { _, err := cluster.On(ctx, l.pool, "s", nil, ok, 0); return err },
		"long id": func() error { // the server would close the connection
			_, err := cluster.Attach(l.pool, ok, strings.Repeat("x", 4000)+".y").Get(ctx)
			return err
		},
		"id": func() error { _, err := cluster.Attach(l.pool, ok, "x").Get(ctx); return err },
		"id to cancel": func() error {
			_, err := cluster.Attach(l.pool, ok, "a.b.>").Cancel(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) { require.ErrorIs(t, use(), cluster.ErrInvalid) })
	}
}
