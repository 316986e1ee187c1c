package move

import (
	"context"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
)

var number = cluster.Define("number", func(_ context.Context, n int) (int, error) { return n, nil })

// twoServers are an old one that has a pool with a task that waits and one that is due, and a new
// one.
func twoServers(t *testing.T) (from, to string, ids []string) {
	t.Helper()
	_, from = startServer(t, t.TempDir())
	_, to = startServer(t, t.TempDir())
	p := join(t, from)
	defer p.Close()
	for _, d := range []time.Duration{0, time.Second} {
		f, err := cluster.Schedule(testContext(t), p, d, number, len(ids))
		require.NoError(t, err)
		ids = append(ids, f.ID())
	}
	return from, to, ids
}

// requireRuns serves a pool until tasks have their outcomes.
func requireRuns(t *testing.T, url string, ids []string) {
	t.Helper()
	p := join(t, url, cluster.MustExist())
	stop := serve(t, p, number)
	for i, id := range ids {
		got, err := cluster.Attach(p, number, id).Get(testContext(t))
		require.NoError(t, err)
		require.Equal(t, i, got)
	}
	stop()
	stats, err := p.Stats(testContext(t))
	require.NoError(t, err)
	require.Zero(t, stats.Healed)
	p.Close()
}

func TestAPoolThatIsServedIsNotMoved(t *testing.T) {
	t.Parallel()
	from, to, ids := twoServers(t)
	busy := make(chan struct{})
	hangs := cluster.Define("hangs", func(context.Context, int) (int, error) {
		<-busy
		return 0, nil
	}, cluster.Lease(3*time.Second))
	p := join(t, from, cluster.Workers(1))

	stop := serve(t, p, hangs)
	awaitListening(t, p, 1)
	_, err := command(t, from, to, "--replicas", "1")
	require.ErrorContains(t, err, `pool "tasks" is served`)
	require.ErrorContains(t, err, "stream PUNCTUAL_tasks, consumer hangs")

	for range 3 { // one runs, and then the worker wants no more
		_, err = cluster.Submit(testContext(t), p, hangs, 0)
		require.NoError(t, err)
	}
	awaitListening(t, p, 0)
	_, err = command(t, from, to, "--replicas", "1")
	require.ErrorContains(t, err, "a worker asks for runs, or has some")
	require.ErrorContains(t, err, "stream PUNCTUAL_tasks, consumer hangs")
	close(busy)
	stop()
	p.Close()
	require.Empty(t, poolStreams(t, to))
	requireRuns(t, from, ids)
}

// awaitListening waits until a number of requests for runs wait.
func awaitListening(t *testing.T, p *cluster.Pool, n int) {
	t.Helper()
	for ctx := testContext(t); ; time.Sleep(10 * time.Millisecond) {
		stats, err := p.Stats(ctx)
		require.NoError(t, err)
		if len(stats.Tasks) > 0 && stats.Tasks[0].Listening == n {
			return
		}
	}
}

// One who begins to serve during the move ends it.
func TestAPoolThatIsServedMeanwhileIsNotMoved(t *testing.T) {
	t.Parallel()
	from, to, ids := twoServers(t)
	p := join(t, from)
	m := newMove(t, from, to)
	m.reached = func(step string) {
		if step == "frozen" {
			go p.Serve(testContext(t), number) //nolint:errcheck // it may be told of the move
		}
	}
	err := m.run(testContext(t))
	require.ErrorContains(t, err, "is served")
	require.ErrorContains(t, err, "The pool goes on at "+from)
	require.Empty(t, poolStreams(t, to))
	p.Close()
	requireRuns(t, from, ids)
}

func newMove(t *testing.T, from, to string) *move {
	t.Helper()
	source, err := dial(from, "")
	require.NoError(t, err)
	t.Cleanup(source.close)
	destination, err := dial(to, "")
	require.NoError(t, err)
	t.Cleanup(destination.close)
	return &move{
		pool: "tasks", replicas: 1, from: source, to: destination, out: io.Discard,
		patience: 3 * time.Second,
	}
}

func TestADestinationThatHasThePoolIsRefused(t *testing.T) {
	t.Parallel()
	from, to, ids := twoServers(t)
	join(t, to, cluster.Name("other")).Close()
	join(t, to).Close()
	_, err := command(t, from, to, "--replicas", "1")
	require.ErrorContains(t, err, to+` has a pool "tasks" already`)
	_, err = command(t, from, from, "--replicas", "1")
	require.ErrorContains(t, err, from+` has a pool "tasks" already`)
	requireRuns(t, from, ids)
	requireRuns(t, to, nil)
}

func TestWhatCannotBeMovedIsRefused(t *testing.T) {
	t.Parallel()
	from, to, _ := twoServers(t)
	_, err := command(t, from, to, "--pool", "nobody")
	require.ErrorContains(t, err, `there is no pool "nobody"`)
	_, err = command(t, from, to, "--replicas", "3")
	require.ErrorContains(t, err, "PUNCTUAL_tasks cannot be restored")
	require.ErrorContains(t, err, "The pool goes on at "+from)
	join(t, from).Close()
	_, err = command(t, from, "")
	require.ErrorContains(t, err, "cannot be reached")
	_, err = command(t, "nats://127.0.0.1:1", to)
	require.ErrorContains(t, err, "cannot be reached")
	require.Equal(t, "nats://a:1,nats://b:2,nats://c",
		withoutPasswords("nats://me:secret@a:1,me:secret@b:2, c"))
}

// A run that is interrupted puts everything back, and the next one moves the pool.
func TestAMoveThatIsInterruptedIsUndone(t *testing.T) {
	t.Parallel()
	from, to, ids := twoServers(t)
	m := newMove(t, from, to)
	ctx, interrupt := context.WithCancel(testContext(t))
	m.reached = func(step string) {
		if step == "copied KV_PUNCTUAL_tasks" {
			require.ErrorIs(t, joinError(t, from), cluster.ErrMoved)
			require.ErrorIs(t, joinError(t, to), cluster.ErrMoved)
			interrupt()
		}
	}
	err := m.run(ctx)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorContains(t, err, "nothing is left at "+to)
	require.Empty(t, poolStreams(t, to))
	join(t, from, cluster.MustExist()).Close()
	out, err := command(t, from, to, "--replicas", "1")
	require.NoError(t, err, out)
	requireRuns(t, to, ids)
}

// A run that is killed leaves the pool frozen at both places, and the next one moves it, or puts it
// back.
func TestAMoveThatIsKilledIsGoneOnWith(t *testing.T) {
	for _, step := range []string{
		"frozen", "snapshot of PUNCTUAL_tasks", "copied PUNCTUAL_tasks", "copied KV_PUNCTUAL_tasks",
		"compared", "opened KV_PUNCTUAL_tasks", "opened PUNCTUAL_tasks",
	} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			from, to, ids := twoServers(t)
			killAt(t, newMove(t, from, to), step)
			require.ErrorIs(t, joinError(t, from), cluster.ErrMoved)
			_, err := command(t, from, from+",nats://127.0.0.1:1", "--replicas", "1")
			require.ErrorContains(t, err, "is moved to "+to)
			if step != "opened PUNCTUAL_tasks" {
				require.Error(t, joinError(t, to, cluster.MustExist()))
			} else {
				_, err := command(t, from, to, "--back")
				require.ErrorContains(t, err, "cannot be taken back")
			}
			out, err := command(t, from, to, "--replicas", "1")
			require.NoError(t, err, out)
			requireRuns(t, to, ids)
		})
	}
}

// Also if the old server was restarted meanwhile.
func TestAMoveThatIsKilledIsTakenBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	before, from := startServer(t, dir)
	_, to := startServer(t, t.TempDir())
	p := join(t, from)
	stop := serve(t, p, number) // makes a consumer
	awaitListening(t, p, 1)
	stop()
	f, err := cluster.Schedule(testContext(t), p, time.Second, number, 0)
	require.NoError(t, err)
	p.Close()
	killAt(t, newMove(t, from, to), "copied KV_PUNCTUAL_tasks")
	before.Shutdown()
	before.WaitForShutdown()
	_, from = startServer(t, dir)
	out, err := command(t, from, to, "--back")
	require.NoError(t, err)
	require.Contains(t, out, "goes on at "+from)
	require.Empty(t, poolStreams(t, to))
	requireRuns(t, from, []string{f.ID()})
}

// killAt runs a move up to a step, and nothing of it after that.
func killAt(t *testing.T, m *move, step string) {
	t.Helper()
	killed, over := false, make(chan struct{})
	m.reached = func(reached string) {
		if reached == step {
			killed = true
			runtime.Goexit()
		}
	}
	ctx := testContext(t)
	go func() {
		defer close(over)
		_ = m.run(ctx) // it does not return
	}()
	<-over
	require.True(t, killed)
}
