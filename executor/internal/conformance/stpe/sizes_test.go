package stpe_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/internal/probe"
)

// withKeepAlive is how long an idle worker above the core size stays unless told otherwise.
const withKeepAlive = 10 * time.Millisecond

func withWorkers(p *executor.ScheduledPool) int { return p.Stats().Workers }

func TestSTPE110_CoreSizeZeroRunsOneTaskAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		tr := pooltest.NewTrace()
		for range 3 {
			pooltest.Submit(t, p, func(context.Context) error {
				tr.Mark("start")
				time.Sleep(time.Second)
				return nil
			})
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, []string{"start 0s", "start 1s", "start 2s"}, tr.Seen())
		assert.Equal(t, 1, p.Stats().Largest)
	})
}

func TestSTPE110_CoreSizeZeroRunsADelayedTaskAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Hour, tr.Task("late"))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"late 1h0m0s"}, tr.Seen())
	})
}

func TestSTPE111_CoreSizeZeroHasOneWorkerForATaskFarAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 0)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, time.Hour, tr.Task("far"))
		probe.Elapse(time.Hour - 1)
		s := p.Stats()
		assert.Equal(t, []int{1, 1, 1, 0}, []int{s.Workers, s.Largest, s.Queued, s.Busy})
		assert.Equal(t, []uint64{1, 0}, []uint64{s.Accepted, s.Completed})
		probe.Elapse(1)
		assert.Equal(t, []string{"far 1h0m0s"}, tr.Seen())
		assert.Equal(t, 1, withWorkers(p))
		probe.Elapse(withKeepAlive)
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE113_AFarTaskIsAwaitedByTheSameGoroutineThroughout(t *testing.T) {
	pools := map[string]func(t *testing.T) *executor.ScheduledPool{
		"core size 0": func(t *testing.T) *executor.ScheduledPool { return pooltest.NewScheduledPool(t, 0) },
		"core timeout": func(t *testing.T) *executor.ScheduledPool {
			return pooltest.NewScheduledPool(t, 2, executor.CoreTimeout(), executor.KeepAlive(time.Millisecond))
		},
	}
	for name, pool := range pools {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool(t)
				pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
				synctest.Wait()
				first := pooltest.Workers(t)
				require.Len(t, first, 1)
				for range 24 {
					probe.Elapse(time.Hour)
					assert.Equal(t, first, pooltest.Workers(t))
				}
				assert.Equal(t, 1, p.Stats().Largest)
			})
		})
	}
}

// As in Java, where it is a complaint; a pool that grows comes with the plain pool.
func TestSTPE114_K05_TheMaximumSizeDoesNotMakeThePoolGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.MaximumSize(8))
		g := pooltest.NewGate(t)
		for range 10 {
			pooltest.Submit(t, p, g.Hold)
		}
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []int{2, 8, 2, 8}, []int{s.Core, s.Maximum, s.Workers, s.Queued})
	})
}

func TestSTPE114_TheMaximumSizeBoundsTheCoreSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.MaximumSize(2))
		assert.ErrorIs(t, p.SetCoreSize(3), executor.ErrInvalid)
		assert.NoError(t, p.SetCoreSize(2))
		assert.ErrorIs(t, p.SetMaximumSize(1), executor.ErrInvalid)
		assert.NoError(t, p.SetMaximumSize(3))
		assert.NoError(t, p.SetCoreSize(3))
		s := p.Stats()
		assert.Equal(t, []int{3, 3}, []int{s.Core, s.Maximum})
		assert.Panics(t, func() { executor.NewScheduledPool(3, executor.MaximumSize(2)) })
	})
}

func TestSTPE115_ARefusedSizeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.MaximumSize(4), executor.CoreTimeout())
		before := p.Stats()
		assert.ErrorIs(t, p.SetCoreSize(-1), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetCoreSize(5), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetMaximumSize(0), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetMaximumSize(-1), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetKeepAlive(-1), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetKeepAlive(0), executor.ErrInvalid)
		assert.Equal(t, before, p.Stats())
	})
}

func TestSTPE115_RaisingTheCoreSizeStartsWorkersForTheTasksThatAreDue(t *testing.T) {
	for _, c := range []struct{ core, due, want int }{{5, 2, 3}, {5, 9, 5}, {5, 4, 5}, {2, 1, 2}, {5, 0, 1}} {
		t.Run(fmt.Sprintf("to %d with %d due", c.core, c.due), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				g := pooltest.NewGate(t)
				for range 1 + c.due {
					pooltest.Submit(t, p, g.Hold)
				}
				synctest.Wait()
				require.Equal(t, 1, withWorkers(p))
				require.NoError(t, p.SetCoreSize(c.core))
				synctest.Wait()
				s := p.Stats()
				assert.Equal(t, c.want, s.Workers)
				assert.Equal(t, c.want, s.Busy)
			})
		})
	}
}

// Java starts a worker for every queued task, due or not.
func TestSTPE115_RaisingTheCoreSizeStartsNobodyForATaskThatIsAwaitedAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		for range 5 {
			pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		}
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(5))
		synctest.Wait()
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeRetiresIdleWorkersAfterTheKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 8)
		for range 8 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		probe.Elapse(time.Minute)
		require.Equal(t, 8, withWorkers(p))
		require.NoError(t, p.SetCoreSize(3))
		probe.Elapse(withKeepAlive - 1)
		assert.Equal(t, 8, withWorkers(p))
		probe.Elapse(1)
		assert.Equal(t, 3, withWorkers(p))
		probe.Elapse(time.Hour)
		assert.Equal(t, 3, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeDoesNotDisturbBusyWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		var errs [3]error
		for i := range errs {
			pooltest.Submit(t, p, func(ctx context.Context) error {
				time.Sleep(time.Hour)
				errs[i] = ctx.Err()
				return nil
			})
		}
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(1))
		probe.Elapse(time.Hour - 1)
		assert.Equal(t, 3, p.Stats().Busy)
		probe.Elapse(1 + withKeepAlive)
		assert.Equal(t, [3]error{}, errs)
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeToZeroKeepsOneWorkerForTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		tr := pooltest.NewTrace()
		for range 4 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		pooltest.Schedule(t, p, time.Hour, tr.Task("queued"))
		probe.Elapse(time.Minute)
		require.NoError(t, p.SetCoreSize(0))
		probe.Elapse(withKeepAlive)
		assert.Equal(t, 1, withWorkers(p))
		probe.Elapse(time.Hour)
		assert.Equal(t, []string{"queued 1h0m0s"}, tr.Seen())
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeOfAnIdlePoolToZeroLeavesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4)
		for range 4 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		probe.Elapse(time.Minute)
		require.NoError(t, p.SetCoreSize(0))
		probe.Elapse(withKeepAlive)
		assert.Zero(t, withWorkers(p))
		assert.Empty(t, pooltest.Workers(t))
	})
}

func TestSTPE115_ATaskMayChangeTheSizeOfItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, func(context.Context) error { return p.SetCoreSize(3) })
		for range 3 {
			pooltest.Submit(t, p, g.Hold)
		}
		synctest.Wait()
		assert.Equal(t, 3, p.Stats().Busy)
	})
}

func TestSTPE115_SetKeepAliveCountsForWorkersThatAreIdleAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.CoreTimeout(), executor.KeepAlive(time.Hour))
		pooltest.Submit(t, p, pooltest.Nothing)
		probe.Elapse(time.Minute)
		require.Equal(t, 1, withWorkers(p))
		require.NoError(t, p.SetKeepAlive(time.Second))
		probe.Elapse(time.Second - 1)
		assert.Equal(t, 1, withWorkers(p))
		probe.Elapse(1)
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE115_SetCoreTimeoutCountsForWorkersThatAreIdleAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 4, executor.KeepAlive(time.Second))
		for range 4 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		probe.Elapse(time.Hour)
		require.Equal(t, 4, withWorkers(p))
		require.NoError(t, p.SetCoreTimeout(true))
		probe.Elapse(time.Second)
		assert.Zero(t, withWorkers(p))

		tr := pooltest.NewTrace()
		pooltest.Submit(t, p, tr.Task("after"))
		synctest.Wait()
		assert.Equal(t, []string{"after 0s"}, tr.Seen())
		require.NoError(t, p.SetCoreTimeout(false))
		probe.Elapse(time.Hour)
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestATaskThatComesAsAnIdleWorkerGivesUpIsNotLost(t *testing.T) {
	for _, core := range []int{0, 1, 2} {
		t.Run(fmt.Sprintf("core %d", core), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, core, executor.CoreTimeout())
				for range 300 {
					pooltest.Submit(t, p, pooltest.Nothing)
					time.Sleep(withKeepAlive) // not more: the worker gives up at this instant
					start := time.Now()
					f := pooltest.Submit(t, p, pooltest.Nothing)
					_, err := f.Get(t.Context())
					require.NoError(t, err)
					require.Zero(t, time.Since(start))
				}
			})
		})
	}
}

func TestADueTaskRunsOnItsTimeWhileTheSizesChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.KeepAlive(3))
		tr := pooltest.NewTrace()
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 500 {
			at := time.Now().Add(time.Duration(1 + random.IntN(5)))
			_, err := p.ScheduleAt(at, func(context.Context) error {
				if !time.Now().Equal(at) {
					tr.Mark("not on time")
				}
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, p.SetCoreSize(random.IntN(4)))
			require.NoError(t, p.SetCoreTimeout(i%3 == 0))
			time.Sleep(time.Duration(random.IntN(4)))
		}
		probe.Elapse(time.Hour)
		require.NoError(t, p.Close())
		assert.Empty(t, tr.Seen())
		assert.EqualValues(t, 500, p.Stats().Completed)
	})
}

func TestSTPE116_BusyIsZeroAtRestAndOneWhileABodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		assert.Zero(t, p.Stats().Busy)
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Busy)
		probe.Elapse(time.Minute)
		assert.Zero(t, p.Stats().Busy)
	})
}

func TestSTPE117_CompletedRisesOnlyAfterTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		probe.Elapse(time.Minute - 1)
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Completed, s.Runs})
		probe.Elapse(1)
		s = p.Stats()
		assert.Equal(t, []uint64{1, 1}, []uint64{s.Completed, s.Runs})
	})
}

func TestSTPE118_AnUnusedPoolHasNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 5)
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Workers, s.Largest})
		assert.Empty(t, pooltest.Workers(t))
		pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []int{1, 1}, []int{s.Workers, s.Largest})
		assert.Len(t, pooltest.Workers(t), 1)
	})
}

// Java starts a worker for each submission below the core size, even while others are idle.
func TestSTPE118_AnIdleWorkerIsPreferredToANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 5)
		for range 10 {
			pooltest.Submit(t, p, pooltest.Nothing)
			synctest.Wait()
		}
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE118_LargestNeverFalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		for range 5 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		probe.Elapse(time.Minute)
		assert.Equal(t, 3, p.Stats().Largest)
		require.NoError(t, p.SetCoreSize(1))
		probe.Elapse(time.Minute)
		s := p.Stats()
		assert.Equal(t, []int{1, 3}, []int{s.Workers, s.Largest})
		require.NoError(t, p.SetCoreSize(2))
		pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []int{2, 3}, []int{s.Workers, s.Largest})
		require.NoError(t, p.Close())
		s = p.Stats()
		assert.Equal(t, []int{0, 3}, []int{s.Workers, s.Largest})
	})
}

func TestSTPE119_AcceptedIsTheSumOfItsParts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, pooltest.Nothing)
		pooltest.Submit(t, p, pooltest.Fail)
		synctest.Wait()
		pooltest.Submit(t, p, g.Hold)
		pooltest.Submit(t, p, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Cancel()
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []uint64{6, 2, 1, 0}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned})
		assert.Equal(t, []int{1, 2}, []int{s.Busy, s.Queued})

		g.Open()
		require.NoError(t, p.Close())
		s = p.Stats()
		assert.Equal(t, []uint64{6, 4, 1, 1}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned})
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
		assert.Equal(t, []uint64{4, 1}, []uint64{s.Runs, s.Failures})
	})
}

// Java counts each run of a series as a task.
func TestSTPE120_ASeriesIsOneTaskOfManyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Second, pooltest.Nothing)
		probe.Elapse(9 * time.Second)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 10}, []uint64{s.Accepted, s.Completed, s.Runs})
		assert.EqualValues(t, 10, f.Runs())
		f.Cancel()
		s = p.Stats()
		assert.Equal(t, []uint64{1, 0, 1, 10}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Runs})
	})
}
