package faults

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor/retry"
)

// brief is a lease that is over soon.
const brief = 300 * time.Millisecond

// logged is a log that is written and read at the same time.
type logged struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *logged) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) option() cluster.Option {
	return cluster.Logger(slog.New(slog.NewTextHandler(l, nil)))
}

// requireHealed checks how much the sweep had to heal, which is counted after it is queued.
func (l *local) requireHealed(t testing.TB, n int) {
	t.Helper()
	var s cluster.Stats
	var err error
	for range 100 {
		s, err = l.pool.Stats(testContext(t, 20*time.Second))
		require.NoError(t, err)
		if s.Healed == uint64(n) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.EqualValues(t, n, s.Healed)
}

// queue is that of a pool.
func (l *local) queue(t testing.TB) jetstream.Stream {
	t.Helper()
	js, err := jetstream.New(l.conn)
	require.NoError(t, err)
	queue, err := js.Stream(testContext(t, 20*time.Second), "PUNCTUAL_tasks")
	require.NoError(t, err)
	return queue
}

// The server's own fault, see TestTheServerForgetsWhatIsBelowARollUp: its consumer takes A, a task
// or the run of a series, for acknowledged, as B was rolled up and C is done. A stays stored, and
// is not delivered again when its worker ends. The sweep finds it.
func TestWhatTheServerHasForgottenIsQueuedAgain(t *testing.T) {
	for _, name := range []string{"task", "series", "task tried again"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for range 5 { // it does not forget A each time
				if forgetA(t, name == "series", name == "task tried again") {
					return
				}
			}
			t.Error("the server has forgotten nothing")
		})
	}
}

// forgetA reports whether the server has forgotten A: if not, it has delivered A again by itself.
func forgetA(t *testing.T, series, tried bool) (forgotten bool) {
	var log logged
	l := startOutside(t) // or what is given back would be stored anew
	ctx := testContext(t, 2*time.Minute)
	var again atomic.Bool
	running := make(chan string, 10)
	var attempt atomic.Int32 // of the one that is running
	done := make(chan struct{})
	task := cluster.Define("held", func(ctx context.Context, name string) (string, error) {
		run, _ := cluster.RunFrom(ctx)
		if tried && name == "A" && run.Attempt == 1 {
			return "", errAsTold
		}
		attempt.Store(int32(run.Attempt))
		running <- name
		if again.Load() {
			return name, nil
		}
		if name == "C" {
			<-done
			return name, nil
		}
		<-ctx.Done()
		return name, context.Cause(ctx)
	}, cluster.Lease(brief), cluster.Retry(3, retry.Backoff{}))
	first := l.start(t, []cluster.Runnable{task}, cluster.Workers(3), cluster.Grace(0))
	futures := map[string]*cluster.Future[string]{}
	for _, name := range []string{"A", "B", "C"} {
		if name == "A" && series {
			_, err := cluster.AtFixedRate(ctx, l.pool, name, 0, time.Hour, task, name)
			require.NoError(t, err)
		} else {
			f, err := cluster.Submit(ctx, l.pool, task, name)
			require.NoError(t, err)
			futures[name] = f
		}
		require.Equal(t, name, <-running)
	}
	awaitSentinel(ctx, t, l.queue(t)) // below a message that stays nothing is forgotten
	roll := nats.NewMsg("punctual.tasks.run.held.o." + futures["B"].ID())
	roll.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	roll.Data = []byte(`"B"`)
	_, err := l.conn.RequestMsgWithContext(ctx, roll)
	require.NoError(t, err)
	close(done)
	_, err = futures["C"].Get(ctx)
	require.NoError(t, err)
	time.Sleep(time.Second) // its acknowledgement is on its way
	again.Store(true)
	first.end(t)

	l.start(t, []cluster.Runnable{task}, cluster.Workers(3), log.option())
	for name := ""; name != "A"; name = <-running { // B is there again, too
	}
	if tried {
		require.EqualValues(t, 2, attempt.Load(), "the one that has failed is not forgotten")
	}
	healed := "forgotten"
	if !series {
		got, err := futures["A"].Get(ctx)
		require.NoError(t, err)
		require.Equal(t, "A", got)
		healed = futures["A"].ID()
	}
	// It is told and counted after it is queued.
	for begin := time.Now(); !forgotten && time.Since(begin) < 10*time.Second; {
		time.Sleep(10 * time.Millisecond)
		stats, err := l.pool.Stats(ctx)
		require.NoError(t, err)
		require.LessOrEqual(t, stats.Healed, uint64(1))
		forgotten = stats.Healed == 1 && strings.Contains(log.String(), healed)
	}
	return forgotten
}

// What runs for long, what waits for a worker for long, and series that are cancelled or wait are
// not taken for forgotten.
func TestNothingIsHealedThatIsNotForgotten(t *testing.T) {
	t.Parallel()
	l := startLocal(t)
	ctx := testContext(t, 2*time.Minute)
	var calls atomic.Int32
	long := cluster.Define("long", func(_ context.Context, d time.Duration) (int, error) {
		calls.Add(1)
		time.Sleep(d)
		return 0, nil
	}, cluster.Lease(brief))
	l.start(t, []cluster.Runnable{long}, cluster.Workers(1))
	ended, err := cluster.AtFixedRate(ctx, l.pool, "ended", 0, time.Hour, long, 0)
	require.NoError(t, err)
	require.NoError(t, ended.Cancel(ctx))
	_, err = cluster.AtFixedRate(ctx, l.pool, "waits", time.Hour, time.Hour, long, 0)
	require.NoError(t, err)
	f, err := cluster.Submit(ctx, l.pool, long, 30*time.Second)
	require.NoError(t, err)
	behind, err := cluster.Submit(ctx, l.pool, long, 0)
	require.NoError(t, err)
	for _, f := range []*cluster.Future[int]{f, behind} {
		_, err = f.Get(ctx)
		require.NoError(t, err)
	}
	require.LessOrEqual(t, calls.Load(), int32(3)) // the series that was cancelled may have run once
	l.requireHealed(t, 0)
}

// A task that was purged, a run or a schedule, fails its future; others go on.
func TestTheFutureOfATaskThatIsGoneFails(t *testing.T) {
	t.Parallel()
	var log logged
	l := startLocal(t, log.option())
	ctx := testContext(t, 2*time.Minute)
	task := cluster.Define("task", func(_ context.Context, n int) (int, error) { return n, nil })
	schedule := func(due time.Duration, n int) *cluster.Future[int] {
		f, err := cluster.Schedule(ctx, l.pool, due, task, n)
		require.NoError(t, err)
		return f
	}
	run, waits, later := schedule(0, 1), schedule(time.Hour, 2), schedule(30*time.Second, 3)
	for _, f := range []*cluster.Future[int]{run, waits} {
		require.NoError(t, l.queue(t).Purge(ctx,
			jetstream.WithPurgeSubject("punctual.tasks.*.task.o."+f.ID())))
		_, err := f.Get(ctx)
		require.ErrorIs(t, err, cluster.ErrGone)
		require.ErrorContains(t, err, f.ID())
		require.Contains(t, log.String(), f.ID())
	}
	l.serve(t, task)
	got, err := later.Get(ctx)
	require.NoError(t, err)
	require.Equal(t, 3, got)
}
