package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
)

// local is a server in this process, and a pool on it. Its connections do without a socket, or are
// as if the server were elsewhere.
type local struct {
	server *embedded.Server
	conn   *nats.Conn
	pool   *cluster.Pool
}

func startLocal(t testing.TB, opts ...cluster.Option) *local {
	t.Helper()
	return startServing(t, nil, opts)
}

// startOutside is startLocal with connections over a port.
func startOutside(t testing.TB, opts ...cluster.Option) *local {
	t.Helper()
	return startServing(t, []embedded.Option{embedded.Listen("127.0.0.1:0")}, opts)
}

// inBothWays makes a trial with connections of both kinds: what is given back takes another way.
func inBothWays(t *testing.T, trial func(*testing.T, func(testing.TB, ...cluster.Option) *local)) {
	t.Run("server in the process", func(t *testing.T) { trial(t, startLocal) })
	t.Run("server outside", func(t *testing.T) { trial(t, startOutside) })
}

func startServing(t testing.TB, how []embedded.Option, opts []cluster.Option) *local {
	t.Helper()
	ctx := testContext(t, time.Minute)
	s, err := embedded.Start(ctx, t.TempDir(), how...)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	l := &local{server: s}
	l.conn = l.connect(t)
	l.pool, err = cluster.Join(ctx, l.conn, opts...)
	require.NoError(t, err)
	return l
}

func (l *local) connect(t testing.TB) *nats.Conn {
	t.Helper()
	nc, err := l.server.Conn()
	if url := l.server.URL(); url != "" {
		nc.Close()
		nc, err = connect(url)
	}
	require.NoError(t, err)
	t.Cleanup(nc.Close)
	return nc
}

// serve serves tasks until the test ends.
func (l *local) serve(t testing.TB, tasks ...cluster.Runnable) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- l.pool.Serve(ctx, tasks...) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
}

// requireEmpty waits until nothing is left to do.
func (l *local) requireEmpty(t testing.TB) {
	t.Helper()
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return queued(js) == 0 },
		30*time.Second, 20*time.Millisecond, "the stream is not empty")
}

// queued counts what is on the queue, but for the sentinel; -1 if the server does not tell.
func queued(js jetstream.JetStream) int {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	stream, err := js.Stream(ctx, "PUNCTUAL_tasks")
	if err != nil {
		return -1
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("punctual.tasks.>"))
	if err != nil {
		return -1
	}
	n := 0
	for subject, messages := range info.State.Subjects {
		if !strings.HasSuffix(subject, ".=.o.sentinel") {
			n += int(messages)
		}
	}
	return n
}

// requireOutcomes counts what the bucket holds: an outcome for each task, and nothing else but that
// a run was given back, figures, and what lists have from there.
func (l *local) requireOutcomes(t testing.TB, n int) {
	t.Helper()
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	bucket, err := js.KeyValue(context.Background(), "PUNCTUAL_tasks")
	require.NoError(t, err)
	keys, err := bucket.Keys(context.Background())
	require.NoError(t, err)
	var outcomes []string
	for _, key := range keys {
		switch {
		case strings.HasPrefix(key, "try."), key == "sweeps",
			strings.HasPrefix(key, "task."), strings.HasPrefix(key, "worker."):
		default:
			_, id, _ := strings.Cut(strings.TrimPrefix(key, "end."), ".")
			outcomes = append(outcomes, id)
		}
	}
	slices.Sort(outcomes)
	require.Len(t, slices.Compact(outcomes), n)
	require.Len(t, outcomes, n, "some have two")
}

// racing makes rounds in which a task is cancelled at about the moment in which something happens
// to it, and checks that all agree on how that ended.
func racing(t *testing.T, rounds int, round func(ctx context.Context, l *local) (
	*cluster.Future[int], time.Duration)) {
	l := startLocal(t)
	ctx := testContext(t, 4*time.Minute)
	stranger, err := cluster.Join(ctx, l.connect(t))
	require.NoError(t, err)
	task := cluster.Define("race", race)
	l.serve(t, task)
	var prevented, completed, next atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			for next.Add(1) <= int64(rounds) {
				f, wait := round(ctx, l)
				if f == nil {
					return
				}
				time.Sleep(wait)
				was, err := f.Cancel(ctx)
				if !noError(t, err) {
					return
				}
				_, err = f.Get(ctx)
				_, other := cluster.Attach(stranger, task, f.ID()).Get(ctx)
				if errors.Is(err, cluster.ErrCancelled) != was ||
					errors.Is(other, cluster.ErrCancelled) != was {
					t.Errorf("prevented %v, Get %v, elsewhere %v", was, err, other)
					return
				}
				if again, err := f.Cancel(ctx); again || err != nil {
					t.Errorf("cancelled again: %v, %v", again, err)
				}
				if was {
					prevented.Add(1)
				} else {
					completed.Add(1)
				}
			}
		})
	}
	all.Wait()
	t.Logf("%d prevented, %d completed", prevented.Load(), completed.Load())
	require.Positive(t, prevented.Load())
	require.Positive(t, completed.Load())
	l.requireEmpty(t)
	l.requireOutcomes(t, rounds)
}

func race(_ context.Context, sleep time.Duration) (int, error) {
	time.Sleep(sleep)
	return 1, nil
}

func noError(t *testing.T, err error) bool {
	if err != nil {
		t.Error(err)
	}
	return err == nil
}

func TestCancelRacesTheFiringInstant(t *testing.T) {
	t.Parallel()
	task := cluster.Define("race", race)
	racing(t, long(2_000, 10_000), func(ctx context.Context, l *local) (
		*cluster.Future[int], time.Duration) {
		delay := 610*time.Millisecond + rand.N(100*time.Millisecond)
		f, err := cluster.Schedule(ctx, l.pool, delay, task, 0)
		if !noError(t, err) {
			return nil, 0
		}
		return f, delay - 5*time.Millisecond + rand.N(10*time.Millisecond)
	})
}

func TestCancelRacesCompletion(t *testing.T) {
	t.Parallel()
	task := cluster.Define("race", race)
	racing(t, long(5_000, 10_000), func(ctx context.Context, l *local) (
		*cluster.Future[int], time.Duration) {
		length := rand.N(3 * time.Millisecond)
		f, err := cluster.Submit(ctx, l.pool, task, length)
		if !noError(t, err) {
			return nil, 0
		}
		return f, rand.N(60 * time.Millisecond)
	})
}

// A run under way is told by its context that it is cancelled.
func TestCancelEndsTheContextOfARun(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, time.Minute)
	began, cause := make(chan struct{}), make(chan error, 1)
	task := cluster.Define("waits", func(ctx context.Context, _ struct{}) (int, error) {
		close(began)
		<-ctx.Done()
		cause <- context.Cause(ctx)
		return 1, nil
	})
	l.serve(t, task)
	f, err := cluster.Submit(ctx, l.pool, task, struct{}{})
	require.NoError(t, err)
	<-began
	prevented, err := f.Cancel(ctx)
	require.NoError(t, err)
	require.True(t, prevented)
	require.ErrorIs(t, <-cause, cluster.ErrCancelled)
	_, err = f.Get(ctx)
	require.ErrorIs(t, err, cluster.ErrCancelled)
	require.ErrorIs(t, err, context.Canceled)
	l.requireEmpty(t)
}

// A series is cancelled while it waits, in its last wait, and while it runs.
func TestCancelASeries(t *testing.T) {
	t.Parallel()
	for name, wait := range map[string]time.Duration{
		"far": 0, "last wait": 700 * time.Millisecond, "running": 1100 * time.Millisecond,
	} {
		t.Run(name, func(t *testing.T) {
			l := startLocal(t)
			ctx := testContext(t, time.Minute)
			task := cluster.Define("series", func(ctx context.Context, _ int) (int, error) {
				select {
				case <-ctx.Done():
				case <-time.After(10 * time.Second):
				}
				return 0, nil
			})
			l.serve(t, task)
			s, err := cluster.AtFixedRate(ctx, l.pool, "s", time.Second, 2*time.Second, task, 0)
			require.NoError(t, err)
			time.Sleep(wait)
			require.NoError(t, s.Cancel(ctx))
			l.requireEmpty(t)
			_, err = s.Next(ctx)
			require.ErrorIs(t, err, cluster.ErrNoSeries)
		})
	}
}
