package tpe_test

import (
	"context"
	"fmt"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestNewPoolStartsNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 5, executor.MaximumSize(9), executor.GrowFirst())
		synctest.Wait()
		assert.Equal(t, sizedState{}, sizedNow(p))
		assert.Empty(t, pooltest.Workers(t))
		require.NoError(t, p.Close())
		assert.Zero(t, p.Stats().Largest)
	})
}

func TestANilPoolPanicsWhereItIsGiven(t *testing.T) {
	none := func(context.Context) (int, error) { return 0, nil }
	for name, row := range map[string]struct {
		where string
		build func()
	}{
		"serial":             {"serial", func() { serial.New(nil) }},
		"keyed":              {"serial", func() { serial.NewKeyed[string](nil) }},
		"group":              {"bulk", func() { bulk.NewGroup(context.Background(), nil) }},
		"completion service": {"bulk", func() { bulk.NewCompletionService[int](nil) }},
		"hedge": {"bulk", func() {
			_, _ = bulk.InvokeAnyHedged(context.Background(), nil, time.Second, none)
		}},
		"any": {"executor", func() {
			_, _ = executor.InvokeAny(context.Background(), nil, none)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			assert.PanicsWithValue(t, row.where+": nil pool", row.build)
		})
	}
}

func TestOptionsUsedTwiceShareNoQueue(t *testing.T) {
	made := 0
	custom := queue.Custom(func() queue.WorkQueue {
		made++
		return queue.FIFO().New()
	})
	for name, q := range map[string]queue.Queue{
		"FIFO": queue.FIFO(), "bounded": queue.Bounded(1), "priority": queue.Priority().Bounded(1),
		"custom": custom.Bounded(1),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				options := []executor.Option{executor.Queue(q), executor.MaximumSize(1)}
				a, b := pooltest.NewPool(t, 1, options...), pooltest.NewPool(t, 1, options...)
				g := pooltest.NewGate(t)
				pooltest.Fill(t, a, 2, g.Hold)
				assert.Equal(t, sizedState{1, 1, 1}, sizedNow(a))
				assert.Equal(t, sizedState{}, sizedNow(b))
				pooltest.Fill(t, b, 2, g.Hold)
				assert.Equal(t, sizedState{1, 1, 1}, sizedNow(b))
				assert.Len(t, a.ShutdownNow(), 1)
				assert.Len(t, b.ShutdownNow(), 1)
			})
		})
	}
	assert.Equal(t, 2, made, "once for each pool")
}

func TestES070_AFixedPoolHasItsSizeAndAnUnboundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(3))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 1000, g.Hold)
		s := p.Stats()
		assert.Equal(t, []int{3, 3}, []int{s.Core, s.Maximum})
		assert.Equal(t, sizedState{3, 3, 997}, sizedNow(p))
		g.Open()
		probe.Elapse(1000 * time.Hour)
		assert.Equal(t, sizedState{3, 0, 0}, sizedNow(p))
	})
}

func TestES070_AFixedPoolCanBeGivenAnotherSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(2))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 9, g.Hold)
		require.NoError(t, p.SetCoreSize(5))
		synctest.Wait()
		assert.Equal(t, sizedState{5, 5, 4}, sizedNow(p))
	})
}

func TestES070_ACachedPoolHasAWorkerForEveryTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, pooltest.NewCached())
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Core, s.Maximum}, "no bound")
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 200, g.Hold)
		assert.Equal(t, sizedState{200, 200, 0}, sizedNow(p))
	})
}

func TestES070_ACachedPoolUsesItsIdleWorkersFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, pooltest.NewCached())
		sizedIdle(t, p, 10)
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 10, g.Hold)
		assert.Equal(t, sizedState{10, 10, 0}, sizedNow(p))
		pooltest.Fill(t, p, 1, g.Hold)
		assert.Equal(t, sizedState{11, 11, 0}, sizedNow(p))
	})
}

func TestES070_WorkersOfACachedPoolEndAfterAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, pooltest.NewCached())
		sizedIdle(t, p, 10)
		probe.Elapse(time.Minute - 1)
		assert.Equal(t, 10, p.Stats().Workers)
		probe.Elapse(1)
		assert.Zero(t, p.Stats().Workers)
		assert.Empty(t, pooltest.Workers(t))
		sizedIdle(t, p, 1)
	})
}

func TestES070_ACachedPoolWithAMaximumRefusesWhatIsBeyond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, pooltest.NewCached(executor.MaximumSize(3), executor.KeepAlive(time.Second)))
		g := pooltest.NewGate(t)
		pooltest.Fill(t, p, 3, g.Hold)
		assert.ErrorIs(t, p.Execute(g.Hold), executor.ErrSaturated)
		assert.Equal(t, sizedState{3, 3, 0}, sizedNow(p))
		g.Open()
		probe.Elapse(time.Second)
		assert.Zero(t, p.Stats().Workers, "options given win over those of the preset")
	})
}

func TestES070_ASinglePoolRunsOneTaskAtATimeInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(1, executor.Confined()))
		tr := pooltest.NewTrace()
		for i := range 3 {
			require.NoError(t, p.Execute(func(context.Context) error {
				tr.Mark(fmt.Sprint(i))
				time.Sleep(time.Second)
				return nil
			}))
		}
		probe.Elapse(time.Hour)
		assert.Equal(t, []string{"0 0s", "1 1s", "2 2s"}, tr.Seen())
		assert.Equal(t, 1, p.Stats().Largest)
	})
}

// sizedSingles makes confined pools with the given options.
var sizedSingles = map[string]func(opts ...executor.Option) *executor.Pool{
	"plain": func(opts ...executor.Option) *executor.Pool {
		return executor.NewPool(1, append(opts, executor.Confined())...)
	},
	"scheduled": func(opts ...executor.Option) *executor.Pool {
		return &executor.NewScheduledPool(1, append(opts, executor.Confined())...).Pool
	},
}

func TestES071_AConfinedPoolHasOneWorkerOrNone(t *testing.T) {
	const want = "a confined pool has one worker, not %d"
	confined := executor.Confined()
	for _, n := range []int{0, 2} {
		sizedPanics(t, fmt.Sprintf(want, n), func() { executor.NewPool(n, confined) })
		sizedPanics(t, fmt.Sprintf(want, n), func() { executor.NewScheduledPool(n, confined) })
	}
	for name, build := range sizedSingles {
		sizedPanics(t, fmt.Sprintf(want, 5), func() { build(executor.MaximumSize(5)) })
		assert.Equal(t, 1, build(executor.MaximumSize(1)).Stats().Maximum, name)
	}
}

func TestES071_TheSizesOfASinglePoolCannotBeChanged(t *testing.T) {
	for name, build := range sizedSingles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.Stop(t, build())
				for n := range 4 {
					sizedRefuses(t, p, func() error { return p.SetCoreSize(n) })
					sizedRefuses(t, p, func() error { return p.SetMaximumSize(n) })
				}
				g := pooltest.NewGate(t)
				pooltest.Fill(t, p, 3, g.Hold)
				s := p.Stats()
				assert.Equal(t, []int{1, 1}, []int{s.Core, s.Maximum})
				assert.Equal(t, sizedState{1, 1, 2}, sizedNow(p))
			})
		})
	}
}

func TestES071_AWorkerThatDiesInASinglePoolIsReplaced(t *testing.T) {
	for name, build := range sizedSingles {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.Stop(t, build(executor.Logger(slog.New(slog.DiscardHandler))))
				pooltest.Fill(t, p, 1, pooltest.Goexit)
				pooltest.Fill(t, p, 1, pooltest.Panic)
				pooltest.Fill(t, p, 1, pooltest.Nothing)
				s := p.Stats()
				assert.Equal(t, []int{1, 1}, []int{s.Workers, s.Largest})
				assert.Equal(t, []uint64{3, 2}, []uint64{s.Completed, s.Failures})
			})
		})
	}
}
