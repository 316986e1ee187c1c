package executor_test

import (
	"context"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
)

// tardy runs bodies and finds those that begin later than they may: after the slack, counted from
// the planned time or, if that is later, from the end of what was in the way.
type tardy struct {
	t     *testing.T
	slack time.Duration
	mu    sync.Mutex
	rng   *rand.Rand // guarded by mu, as the others below
	runs  int
}

func newTardy(t *testing.T, slack time.Duration, seed uint64) *tardy {
	return &tardy{t: t, slack: slack, rng: rand.New(rand.NewPCG(seed, 1))}
}

// body returns a body of random lengths, up to length. Busy is when what is in its way has ended.
func (k *tardy) body(length time.Duration, busy *time.Time) executor.Task {
	return func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		k.mu.Lock()
		due := run.Scheduled
		if busy.After(due) {
			due = *busy
		}
		late := time.Since(due)
		k.runs++
		assert.LessOrEqual(k.t, late, k.slack, "planned for %v, free since %v", run.Scheduled, *busy)
		assert.False(k.t, time.Now().Before(run.Scheduled), "early")
		length := time.Duration(k.rng.Int64N(int64(length) + 1))
		if k.rng.IntN(3) > 0 {
			length = 0 // brief, so that it is expected to be
		}
		k.mu.Unlock()
		time.Sleep(length)
		k.mu.Lock()
		*busy = time.Now()
		k.mu.Unlock()
		return nil
	}
}

// There is a worker for each series and one more, so one is always idle: a run waits for nothing
// but the last of its own series.
func TestNoRunIsLaterThanTheSlackWhileAWorkerIsIdle(t *testing.T) {
	for seed := range uint64(200) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 16))
			slack := time.Duration(rng.IntN(3)) * time.Duration(rng.Int64N(int64(5*time.Millisecond)))
			n := 1 + rng.IntN(5)
			p := pooltest.NewScheduledPool(t, n+1, executor.Slack(slack))
			k := newTardy(t, slack, seed)
			for range n {
				period := time.Duration(1 + rng.Int64N(int64(4*time.Millisecond)))
				first := time.Duration(rng.Int64N(int64(4 * time.Millisecond)))
				body := k.body(period*time.Duration(rng.IntN(3)), new(time.Time))
				how := p.AtFixedRate
				if rng.IntN(3) == 0 {
					how = p.WithFixedDelay
				}
				_, err := how(first, period, body, executor.MaxRuns(300))
				require.NoError(t, err)
			}
			for range 100 {
				var never time.Time
				pooltest.Schedule(t, p, 0, k.body(0, &never))
				time.Sleep(time.Duration(rng.Int64N(int64(3 * time.Millisecond))))
			}
			time.Sleep(10 * time.Second)
			synctest.Wait()
			require.Equal(t, 300*n+100, k.runs)
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// A loop has one goroutine: everything is in the way of everything.
func TestNoRunOfALoopIsLaterThanTheSlackWhileItIsIdle(t *testing.T) {
	for seed := range uint64(100) {
		synctest.Test(t, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 17))
			slack := time.Duration(rng.Int64N(int64(5 * time.Millisecond)))
			l := eventloop.New(executor.Slack(slack))
			k := newTardy(t, slack, seed)
			var busy time.Time
			for range 1 + rng.IntN(5) {
				period := time.Duration(1 + rng.Int64N(int64(4*time.Millisecond)))
				_, err := l.WithFixedDelay(period/2, period, k.body(period, &busy))
				require.NoError(t, err)
			}
			time.Sleep(time.Second)
			synctest.Wait()
			require.NotZero(t, k.runs)
			require.NoError(t, l.Close())
		})
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// ticking counts the wake-ups of a pool with so many series, evenly spread, in a second.
func ticking(t *testing.T, series int, period time.Duration, opts ...executor.Option) (wakeups uint64) {
	p := pooltest.NewScheduledPool(t, 1, opts...)
	runs := 0
	for i := range series {
		first := period * time.Duration(i) / time.Duration(series)
		_, err := p.AtFixedRate(first, period, func(context.Context) error { runs++; return nil })
		require.NoError(t, err)
	}
	time.Sleep(time.Second)
	synctest.Wait()
	require.InDelta(t, series*int(time.Second/period), runs, float64(series))
	return p.Stats().Wakeups
}

func TestSlackSharesWakeUps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const series, period = 100, 10 * time.Millisecond // a moment every 100 µs
		assert.Greater(t, ticking(t, series, period), uint64(9_000), "exact in a bubble")
		assert.Greater(t, ticking(t, series, period, executor.Slack(0)), uint64(9_000))
		assert.Less(t, ticking(t, series, period, executor.Slack(time.Millisecond)), uint64(1_050))
		assert.Less(t, ticking(t, series, period, executor.Slack(10*time.Millisecond)), uint64(105))
	})
}

// repeating is a pool or a loop.
type repeating interface {
	AtFixedRate(
		initial, period time.Duration, task executor.Task, opts ...executor.TaskOption,
	) (*executor.ScheduledFuture[struct{}], error)
	Close() error
}

// While wake-ups are rare, there is nothing to share.
func TestSlackDelaysNothingThatStandsAlone(t *testing.T) {
	slack := executor.Slack(100 * time.Millisecond)
	for name, open := range map[string]func() repeating{
		"pool": func() repeating { return executor.NewScheduledPool(1, slack) },
		"loop": func() repeating { return eventloop.New(slack) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := open()
				k := newTardy(t, 0, 1)
				body := k.body(0, new(time.Time))
				_, err := p.AtFixedRate(10*time.Millisecond, time.Second, body)
				require.NoError(t, err)
				time.Sleep(time.Hour)
				synctest.Wait()
				require.Equal(t, 3600, k.runs)
				require.NoError(t, p.Close())
			})
		})
	}
}

// Slack is for times: what is to run now runs now.
func TestSlackDelaysNothingThatIsToRunNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.Slack(time.Hour))
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Minute, tr.Task("first"))
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, []string{"first 1m0s"}, tr.Seen())
		tr = pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Second, tr.Task("scheduled"))
		require.NoError(t, p.Execute(tr.Task("executed")))
		pooltest.Schedule(t, p, -time.Second, tr.Task("overdue"))
		time.Sleep(2 * time.Hour)
		require.ElementsMatch(t, []string{"executed 0s", "overdue 0s", "scheduled 1h0m0s"}, tr.Seen())

	})
}

// Nor does something that is due, and may be late, stand in its way.
func TestWhatIsToRunNowPassesNoSlackBeforeIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.Slack(time.Hour))
		pooltest.Schedule(t, p, time.Minute, pooltest.Nothing)
		time.Sleep(time.Minute + time.Second)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Second, tr.Task("late"))
		time.Sleep(time.Minute)
		require.Empty(t, tr.Seen(), "its slack is an hour")
		require.NoError(t, p.Execute(tr.Task("executed")))
		synctest.Wait()
		require.ElementsMatch(t, []string{"late 1m0s", "executed 1m0s"}, tr.Seen())
	})
}

// Some tasks that are to run now stand among those with a time: those of serial executors, and of
// pools that count what is pending.
func TestNothingThatIsToRunNowWaitsForSlackWhereverItStands(t *testing.T) {
	for name, submit := range map[string]func(p *executor.ScheduledPool, task executor.Task) error{
		"pending limit": func(p *executor.ScheduledPool, task executor.Task) error { return p.Execute(task) },
		"serial":        func(p *executor.ScheduledPool, task executor.Task) error { return serial.New(p).Execute(task) },
		"scheduled": func(p *executor.ScheduledPool, task executor.Task) error {
			_, err := p.Schedule(0, task)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2, executor.Slack(time.Hour), executor.PendingLimit(10))
				pooltest.Schedule(t, p, time.Minute, pooltest.Nothing)
				time.Sleep(time.Minute + time.Second)
				tr := pooltest.NewTrace()
				pooltest.Schedule(t, p, time.Second, tr.Task("late"))
				time.Sleep(time.Minute)
				require.NoError(t, submit(p, tr.Task("now")))
				synctest.Wait()
				require.ElementsMatch(t, []string{"late 1m0s", "now 1m0s"}, tr.Seen())

				pooltest.Schedule(t, p, time.Second, tr.Task("later"))
				time.Sleep(time.Minute)
				synctest.Wait()
				require.Len(t, tr.Seen(), 2, "its slack is an hour again")
			})
		})
	}
}

func TestSlackIsToldAndChecked(t *testing.T) {
	slack := executor.Slack(time.Second)
	synctest.Test(t, func(t *testing.T) {
		assert.Zero(t, pooltest.NewScheduledPool(t, 1).Stats().Slack)
		assert.Equal(t, time.Second, pooltest.NewScheduledPool(t, 1, slack).Stats().Slack)
		assert.Equal(t, time.Second, eventloop.New(slack).Stats().Slack)
		assert.Contains(t, eventloop.New(slack).Stats().LogValue().String(), "slack=1s")
	})
	assert.Zero(t, pooltest.NewPool(t, 1, slack).Stats().Slack, "a plain pool has no times")
	assert.Equal(t, 50*time.Microsecond, pooltest.NewScheduledPool(t, 1).Stats().Slack)
	assert.PanicsWithValue(t, "executor: negative slack -1ns", func() { executor.Slack(-1) })
}
