package tpe_test

import (
	"context"
	"math"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/internal/probe"
)

// sizedIdle has p start so many workers that have nothing to do afterwards.
func sizedIdle(t *testing.T, p *executor.Pool, workers int) {
	t.Helper()
	g := pooltest.NewGate(t)
	pooltest.Fill(t, p, workers, g.Hold)
	g.Open()
	synctest.Wait()
	require.Equal(t, sizedState{Workers: workers}, sizedNow(p))
}

// sizedState is what a pool is doing.
type sizedState struct{ Workers, Busy, Queued int }

func sizedNow(p *executor.Pool) sizedState {
	s := p.Stats()
	return sizedState{s.Workers, s.Busy, s.Queued}
}

// sizedPanics asserts that build panics with a text that tells what is wrong.
func sizedPanics(t *testing.T, want string, build func()) {
	t.Helper()
	defer func() {
		t.Helper()
		text, _ := recover().(string)
		assert.Equal(t, "executor: "+want, text)
	}()
	build()
}

func TestTPE001_ANegativeCoreSizePanics(t *testing.T) {
	sizedPanics(t, "negative core size -1", func() { executor.NewPool(-1) })
	sizedPanics(t, "negative core size -1", func() { executor.NewPool(-1, executor.MaximumSize(3)) })
}

func TestTPE002_ANegativeMaximumSizePanics(t *testing.T) {
	sizedPanics(t, "maximum size -1 is below 1", func() { executor.MaximumSize(-1) })
}

func TestTPE003_AMaximumSizeOfZeroPanics(t *testing.T) {
	sizedPanics(t, "maximum size 0 is below 1", func() { executor.MaximumSize(0) })
}

func TestTPE004_ANegativeKeepAlivePanics(t *testing.T) {
	sizedPanics(t, "negative keep-alive -1ns", func() { executor.KeepAlive(-1) })
}

func TestTPE005_ACoreSizeAboveTheMaximumPanics(t *testing.T) {
	sizedPanics(t, "core size 2 is above the maximum size 1", func() { executor.NewPool(2, executor.MaximumSize(1)) })
}

func TestTPE006_APoolWithoutAQueuePanics(t *testing.T) {
	none := func() queue.WorkQueue { return nil }
	for name, build := range map[string]func(){
		"zero":            func() { executor.NewPool(1, executor.Queue(queue.Queue{})) },
		"bounded zero":    func() { executor.NewPool(1, executor.Queue(queue.Queue{}.Bounded(3))) },
		"new of zero":     func() { queue.Queue{}.New() },
		"custom nil":      func() { executor.Queue(queue.Custom(nil)) },
		"made nil":        func() { executor.NewPool(1, executor.Queue(queue.Custom(none))) },
		"made nil by New": func() { queue.Custom(none).New() },
	} {
		t.Run(name, func(t *testing.T) { sizedPanics(t, "nil queue", build) })
	}
}

func TestA11_ANegativeQueueCapacityPanics(t *testing.T) {
	sizedPanics(t, "negative queue capacity -1", func() { executor.Queue(queue.Bounded(-1)) })
	sizedPanics(t, "negative queue capacity -2", func() { executor.Queue(queue.Priority().Bounded(-2)) })
}

func TestA11_AQueueOfCapacityZeroLetsNobodyWait(t *testing.T) {
	for name, q := range map[string]queue.Queue{
		"bounded FIFO": queue.Bounded(0), "priority": queue.Priority().Bounded(0), "hand-off": queue.HandOff(),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(q))
				g := pooltest.NewGate(t)
				pooltest.Fill(t, p, 1, g.Hold)
				assert.ErrorIs(t, p.Execute(g.Hold), executor.ErrSaturated)
				assert.Equal(t, sizedState{1, 1, 0}, sizedNow(p))
				g.Open()
				synctest.Wait()
				assert.NoError(t, p.Execute(pooltest.Nothing), "the worker is idle")
			})
		})
	}
}

func TestAQueueOfTheLargestCapacityCostsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(math.MaxInt-1)), executor.MaximumSize(math.MaxInt))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 100, g.Hold)
		assert.Equal(t, sizedState{1, 1, 99}, sizedNow(p))
	})
}

func TestAQueueOptionOnAScheduledPoolPanics(t *testing.T) {
	for name, q := range map[string]queue.Queue{
		"FIFO": queue.FIFO(), "bounded": queue.Bounded(3), "hand-off": queue.HandOff(),
		"priority": queue.Priority(), "custom": queue.Custom(queue.FIFO().New),
	} {
		t.Run(name, func(t *testing.T) {
			const want = "a scheduled pool has a queue of its own"
			sizedPanics(t, want, func() { executor.NewScheduledPool(1, executor.Queue(q)) })
			sizedPanics(t, want, func() { executor.NewScheduledPool(1, executor.Confined(), executor.Queue(q)) })
		})
	}
}

func TestTPE007_NilOptionsAndANilPolicyPanic(t *testing.T) {
	sizedPanics(t, "option 1 is nil", func() { executor.NewPool(1, executor.GrowFirst(), nil) })
	sizedPanics(t, "nil rejection policy", func() { executor.OnRejection(nil) })
	var none context.Context // nil, which a linter would not let us write
	sizedPanics(t, "nil base context", func() { executor.BaseContext(none) })
}

func TestTPE007_A1_NilHooksAreNone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(1, executor.Logger(nil), executor.ErrorHandler(nil), executor.BeforeRun(nil),
			executor.AfterRun(nil), executor.AfterTermination(nil), executor.Decorate(nil)))
		pooltest.Fill(t, p, 3, pooltest.Nothing)
		s := p.Stats()
		assert.Equal(t, []uint64{3, 0}, []uint64{s.Completed, s.Failures})
		assert.NoError(t, p.Close())
	})
}

func TestTPE008_CoreSizeZeroAndKeepAliveZeroAreLegal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 0, executor.KeepAlive(0))
		pooltest.Fill(t, p, 3, pooltest.Nothing)
		assert.EqualValues(t, 3, p.Stats().Completed)
		assert.Equal(t, sizedState{}, sizedNow(p))
	})
}

func TestTPE009_TheDefaultPolicyIsAbort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 1, g.Hold)
		f, err := p.Submit(pooltest.Nothing)
		assert.Nil(t, f)
		assert.Equal(t, executor.ErrSaturated, err)
		assert.EqualValues(t, 1, p.Stats().Rejected)
	})
}

func TestTPE009_TheDefaultKeepAliveIsTenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.MaximumSize(3), executor.GrowFirst())
		sizedIdle(t, p, 3)
		probe.Elapse(10*time.Millisecond - 1)
		assert.Equal(t, 3, p.Stats().Workers)
		probe.Elapse(1)
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

func TestTPE011_ANewPolicyCountsFromTheNextRejectionOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []string
		policy := func(name string) rejection.Policy {
			return func(*rejection.Task) error {
				asked = append(asked, name)
				return executor.ErrSaturated
			}
		}
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(policy("first")))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 1, g.Hold)
		assert.Error(t, p.Execute(pooltest.Nothing))
		require.NoError(t, p.SetRejectionPolicy(policy("second")))
		assert.Error(t, p.Execute(pooltest.Nothing))
		assert.Equal(t, []string{"first", "second"}, asked)
	})
}

func TestTPE011_ANilPolicyIsRefusedAndTheOldOneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Discard))
		assert.ErrorIs(t, p.SetRejectionPolicy(nil), executor.ErrInvalid)
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 1, g.Hold)
		assert.NoError(t, p.Execute(pooltest.Nothing), "discarded")
		assert.EqualValues(t, 1, p.Stats().Returned)
	})
}

func TestTPE012_StatsTellTheSizesAskedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(5))
		sizes := func() [2]int { s := p.Stats(); return [2]int{s.Core, s.Maximum} }
		assert.Equal(t, [2]int{2, 5}, sizes())
		require.NoError(t, p.SetCoreSize(4))
		require.NoError(t, p.SetMaximumSize(7))
		assert.Equal(t, [2]int{4, 7}, sizes())
	})
}

func TestTPE012_TPE015_TPE016_StatsTellTheKeepAliveAndTheCoreTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.KeepAlive(1500*time.Microsecond))
		asked := func() (time.Duration, bool) { s := p.Stats(); return s.KeepAlive, s.CoreTimeout }
		keepAlive, coreTimeout := asked()
		assert.Equal(t, 1500*time.Microsecond, keepAlive, "nothing is cut off")
		assert.False(t, coreTimeout)
		require.NoError(t, p.SetKeepAlive(time.Minute))
		require.NoError(t, p.SetCoreTimeout(true))
		keepAlive, coreTimeout = asked()
		assert.Equal(t, time.Minute, keepAlive)
		assert.True(t, coreTimeout)
	})
}

func TestTPE012_WithoutAMaximumTheMaximumIsTheCoreSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		assert.Equal(t, 2, p.Stats().Maximum)
		require.NoError(t, p.SetCoreSize(9))
		assert.Equal(t, 9, p.Stats().Maximum)
		require.NoError(t, p.SetCoreSize(0))
		assert.Equal(t, 1, p.Stats().Maximum, "a pool of core size 0 has one worker")
	})
}

// sizedRefuses asserts that a change is refused and leaves everything as it was.
func sizedRefuses(t *testing.T, p *executor.Pool, change func() error) {
	t.Helper()
	before := p.Stats()
	assert.ErrorIs(t, change(), executor.ErrInvalid)
	synctest.Wait()
	assert.Equal(t, before, p.Stats())
}

func TestTPE013_ABadCoreSizeIsRefusedAndChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(4))
		sizedIdle(t, p, 2)
		sizedRefuses(t, p, func() error { return p.SetCoreSize(-1) })
		sizedRefuses(t, p, func() error { return p.SetCoreSize(5) })
		assert.NoError(t, p.SetCoreSize(4))
	})
}

func TestTPE014_ABadMaximumSizeIsRefusedAndChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.MaximumSize(4))
		sizedIdle(t, p, 2)
		sizedRefuses(t, p, func() error { return p.SetMaximumSize(0) })
		sizedRefuses(t, p, func() error { return p.SetMaximumSize(-1) })
		sizedRefuses(t, p, func() error { return p.SetMaximumSize(1) })
		assert.NoError(t, p.SetMaximumSize(2))
	})
}

func TestTPE015_ABadKeepAliveIsRefusedAndTheOldOneStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.KeepAlive(time.Second), executor.CoreTimeout())
		sizedIdle(t, p, 2)
		sizedRefuses(t, p, func() error { return p.SetKeepAlive(-1) })
		sizedRefuses(t, p, func() error { return p.SetKeepAlive(0) })
		probe.Elapse(time.Second - 1)
		assert.Equal(t, 2, p.Stats().Workers)
		probe.Elapse(1)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestTPE016_CoreWorkersStayByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3)
		sizedIdle(t, p, 3)
		probe.Elapse(1000 * time.Hour)
		assert.Equal(t, 3, p.Stats().Workers)
	})
}

func TestTPE016_CoreTimeoutNeedsAKeepAlive(t *testing.T) {
	const want = "core timeout needs a keep-alive above 0"
	sizedPanics(t, want, func() { executor.NewPool(1, executor.CoreTimeout(), executor.KeepAlive(0)) })
	sizedPanics(t, want, func() { executor.NewPool(1, executor.KeepAlive(0), executor.CoreTimeout()) })
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.KeepAlive(0))
		sizedIdle(t, p, 2)
		sizedRefuses(t, p, func() error { return p.SetCoreTimeout(true) })
		assert.NoError(t, p.SetCoreTimeout(false))
		probe.Elapse(time.Hour)
		assert.Equal(t, 2, p.Stats().Workers)
	})
}

func TestTPE017_AChangeWakesIdleWorkersAndDisturbsNoBusyOne(t *testing.T) {
	for name, change := range map[string]func(p *executor.Pool) error{
		"core size":    func(p *executor.Pool) error { return p.SetCoreSize(0) },
		"maximum size": func(p *executor.Pool) error { return p.SetMaximumSize(2) },
		"keep-alive":   func(p *executor.Pool) error { return p.SetKeepAlive(time.Second) },
		"core timeout": func(p *executor.Pool) error { return p.SetCoreTimeout(true) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.MaximumSize(4), executor.GrowFirst(), executor.KeepAlive(100*time.Hour))
				var undisturbed atomic.Int32
				pooltest.Fill(t, p, 3, func(ctx context.Context) error {
					time.Sleep(time.Hour)
					if ctx.Err() == nil {
						undisturbed.Add(1)
					}
					return nil
				})
				pooltest.Fill(t, p, 1, pooltest.Nothing)
				require.Equal(t, sizedState{4, 3, 0}, sizedNow(p))
				wakeups := p.Stats().Wakeups
				require.NoError(t, change(p))
				synctest.Wait()
				assert.Equal(t, 1, int(p.Stats().Wakeups-wakeups), "the one that is idle")
				probe.Elapse(time.Hour)
				assert.EqualValues(t, 3, undisturbed.Load())
			})
		})
	}
}

func TestTPE017_TasksThatResizeTheirPoolDisturbNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 8, executor.MaximumSize(16), executor.GrowFirst())
		const tasks = 100
		var undisturbed atomic.Int32
		for range tasks {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				for range 20 {
					assert.NoError(t, p.SetCoreSize(rand.IntN(9)))
					assert.NoError(t, p.SetMaximumSize(8+rand.IntN(9)))
					assert.NoError(t, p.SetKeepAlive(time.Duration(1+rand.IntN(9))))
					assert.NoError(t, p.SetCoreTimeout(rand.IntN(2) == 0))
					time.Sleep(time.Duration(rand.IntN(3)))
				}
				if ctx.Err() == nil {
					undisturbed.Add(1)
				}
				return nil
			}))
		}
		probe.Elapse(time.Hour)
		assert.EqualValues(t, tasks, undisturbed.Load())
		assert.EqualValues(t, tasks, p.Stats().Completed)
	})
}
