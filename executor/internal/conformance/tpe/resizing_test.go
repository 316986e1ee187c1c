package tpe_test

import (
	"context"
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

// In the spirit of jtreg's ConfigChanges: one pool of 3 to 9 workers through its whole life.
func TestTPE017_TPE026_TPE027_EveryChangeOfTheSizesShowsInTheCounters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 3
		p := pooltest.NewPool(t, n, executor.MaximumSize(3*n), executor.KeepAlive(3*time.Hour), executor.Queue(queue.Bounded(3*n)))
		expect := func(core, maximum, workers, largest, busy, queued, completed int) {
			t.Helper()
			synctest.Wait()
			s := p.Stats()
			assert.Equal(t, []int{core, maximum, workers, largest, busy, queued, completed},
				[]int{s.Core, s.Maximum, s.Workers, s.Largest, s.Busy, s.Queued, int(s.Completed)})
		}
		first, second := pooltest.NewGate(t), pooltest.NewGate(t)
		expect(3, 9, 0, 0, 0, 0, 0)
		assert.Equal(t, n, p.PrestartWorkers())
		expect(3, 9, 3, 3, 0, 0, 0)
		pooltest.Fill(t, p, n, first.Hold)
		expect(3, 9, 3, 3, 3, 0, 0)
		pooltest.Fill(t, p, 2*n, first.Hold)
		expect(3, 9, 3, 3, 3, 6, 0)
		pooltest.Fill(t, p, n, second.Hold)
		expect(3, 9, 3, 3, 3, 9, 0)
		pooltest.Fill(t, p, 2*n, second.Hold)
		expect(3, 9, 9, 9, 9, 9, 0)
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
		expect(3, 9, 9, 9, 9, 9, 0)

		require.NoError(t, p.SetMaximumSize(2*n))
		expect(3, 6, 9, 9, 9, 9, 0)
		require.NoError(t, p.SetCoreSize(n+2))
		expect(5, 6, 9, 9, 9, 9, 0)
		first.Open()
		expect(5, 6, 6, 9, 6, 3, 9)
		second.Open()
		expect(5, 6, 6, 9, 0, 0, 18)

		probe.Elapse(2 * time.Hour)
		expect(5, 6, 6, 9, 0, 0, 18)
		require.NoError(t, p.SetKeepAlive(7*time.Millisecond))
		probe.Elapse(7*time.Millisecond - 1)
		expect(5, 6, 6, 9, 0, 0, 18)
		probe.Elapse(1)
		expect(5, 6, 5, 9, 0, 0, 18)
		require.NoError(t, p.SetCoreSize(n))
		probe.Elapse(7 * time.Millisecond)
		expect(3, 6, 3, 9, 0, 0, 18)
		require.NoError(t, p.SetCoreTimeout(true))
		probe.Elapse(7*time.Millisecond - 1)
		expect(3, 6, 3, 9, 0, 0, 18)
		probe.Elapse(1)
		expect(3, 6, 0, 9, 0, 0, 18)

		require.NoError(t, p.SetCoreTimeout(false))
		assert.Equal(t, n, p.PrestartWorkers())
		require.NoError(t, p.SetKeepAlive(time.Hour))
		probe.Elapse(1000 * time.Hour)
		expect(3, 6, 3, 9, 0, 0, 18)
		third := pooltest.NewGate(t)
		pooltest.Fill(t, p, 13, third.Hold)
		expect(3, 6, 4, 9, 4, 9, 18)
		require.NoError(t, p.SetMaximumSize(20))
		require.NoError(t, p.SetCoreSize(10))
		expect(10, 20, 10, 10, 10, 3, 18)
		third.Open()
		expect(10, 20, 10, 10, 0, 0, 31)

		p.Shutdown()
		<-p.Terminated()
		expect(10, 20, 0, 10, 0, 0, 31)
		s := p.Stats()
		assert.Equal(t, []uint64{31, 1, 31, 0}, []uint64{s.Accepted, s.Rejected, s.Runs, s.Failures})
	})
}

func TestTPE017_ATaskMayMakeItsPoolGrow(t *testing.T) {
	for name, grow := range map[string]func(p *executor.Pool) error{
		"core size":    func(p *executor.Pool) error { return p.SetCoreSize(3) },
		"maximum size": func(p *executor.Pool) error { return p.SetMaximumSize(3) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := []executor.Option{executor.GrowFirst()}
				if name == "maximum size" {
					opts = append(opts, executor.MaximumSize(1))
				}
				p := pooltest.NewPool(t, 1, opts...)
				g := pooltest.NewGate(t)
				require.NoError(t, p.Execute(func(ctx context.Context) error {
					time.Sleep(time.Second)
					assert.NoError(t, grow(p))
					assert.NoError(t, ctx.Err())
					return g.Hold(ctx)
				}))
				pooltest.Fill(t, p, 5, g.Hold)
				require.Equal(t, sizedState{1, 1, 5}, sizedNow(p))
				probe.Elapse(time.Second)
				assert.Equal(t, sizedState{3, 3, 3}, sizedNow(p))
			})
		})
	}
}

// The task does not count as idle, nor its worker as one too many, before it has ended.
func TestTPE017_ATaskMayMakeItsPoolShrinkBelowItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.KeepAlive(time.Second), executor.CoreTimeout())
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			time.Sleep(time.Minute)
			assert.NoError(t, p.SetCoreSize(0))
			assert.NoError(t, p.SetMaximumSize(1))
			time.Sleep(time.Hour)
			assert.NoError(t, ctx.Err())
			return nil
		}))
		pooltest.Fill(t, p, 2, pooltest.Sleep(time.Hour))
		require.Equal(t, sizedState{2, 2, 1}, sizedNow(p))
		probe.Elapse(time.Hour)
		assert.Equal(t, sizedState{1, 1, 1}, sizedNow(p), "its own worker is left")
		probe.Elapse(time.Minute)
		assert.Equal(t, sizedState{1, 1, 0}, sizedNow(p))
		probe.Elapse(time.Hour + time.Second)
		assert.Equal(t, sizedState{}, sizedNow(p))
		assert.EqualValues(t, 3, p.Stats().Completed)
	})
}

func TestATaskIsNeverLostWhileTheSizesChange(t *testing.T) {
	for name, opts := range map[string][]executor.Option{
		"FIFO":       nil,
		"grow first": {executor.GrowFirst()},
		"bounded":    {executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.Block)},
		"hand-off":   {executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block)},
		"priority":   {executor.Queue(queue.Priority())},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, append(opts, executor.MaximumSize(4), executor.KeepAlive(2))...)
				for i := range 2000 {
					core := i * 7 % 5
					maximum := max(core, 1+i*3%4)
					require.NoError(t, p.SetCoreSize(0))
					require.NoError(t, p.SetMaximumSize(maximum))
					require.NoError(t, p.SetCoreSize(core))
					require.NoError(t, p.SetCoreTimeout(i%3 == 0))
					require.NoError(t, p.Execute(pooltest.Sleep(time.Duration(i%4))))
					time.Sleep(time.Duration(i * 5 % 3))
				}
				probe.Elapse(time.Hour)
				assert.EqualValues(t, 2000, p.Stats().Completed)
				assert.LessOrEqual(t, p.Stats().Largest, 4)
			})
		})
	}
}
