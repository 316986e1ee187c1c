package executor_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// withKeepAlive is how long an idle worker above the core size stays unless told otherwise.
const withKeepAlive = 10 * time.Millisecond

func withWorkers(p *executor.ScheduledPool) int { return p.Stats().Workers }

// withWorkerGoroutines returns the numbers of the goroutines that are workers in the bubble of the
// caller, as the runtime tells them.
func withWorkerGoroutines(t *testing.T) []string {
	t.Helper()
	buf := make([]byte, 1<<20)
	n := runtime.Stack(buf, true)
	require.Less(t, n, len(buf), "the stacks are cut off")
	stacks := strings.Split(string(buf[:n]), "\n\n")
	_, bubble, found := strings.Cut(strings.SplitN(stacks[0], "]", 2)[0], "synctest bubble ")
	require.True(t, found, "not in a bubble: %s", stacks[0])
	var workers []string
	for _, s := range stacks {
		head, _, _ := strings.Cut(s, "\n")
		if strings.Contains(s, "executor.(*worker)") && strings.Contains(head, "synctest bubble "+bubble+"]") {
			workers = append(workers, strings.Fields(head)[1])
		}
	}
	return workers
}

func TestSTPE110_CoreSizeZeroRunsOneTaskAtATime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 0)
		tr := withNewTrace()
		for range 3 {
			withSubmit(t, p, func(context.Context) error {
				tr.mark("start")
				time.Sleep(time.Second)
				return nil
			})
		}
		withPassed(time.Minute)
		assert.Equal(t, []string{"start 0s", "start 1s", "start 2s"}, tr.seen())
		assert.Equal(t, 1, p.Stats().Largest)
	})
}

func TestSTPE110_CoreSizeZeroRunsADelayedTaskAfterShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 0)
		tr := withNewTrace()
		withSchedule(t, p, time.Hour, tr.task("late"))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"late 1h0m0s"}, tr.seen())
	})
}

func TestSTPE111_CoreSizeZeroHasOneWorkerForATaskFarAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 0)
		tr := withNewTrace()
		withSchedule(t, p, time.Hour, tr.task("far"))
		withPassed(time.Hour - 1)
		s := p.Stats()
		assert.Equal(t, []int{1, 1, 1, 0}, []int{s.Workers, s.Largest, s.Queued, s.Busy})
		assert.Equal(t, []uint64{1, 0}, []uint64{s.Accepted, s.Completed})
		withPassed(1)
		assert.Equal(t, []string{"far 1h0m0s"}, tr.seen())
		assert.Equal(t, 1, withWorkers(p))
		withPassed(withKeepAlive)
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE113_AFarTaskIsAwaitedByTheSameGoroutineThroughout(t *testing.T) {
	pools := map[string]func(t *testing.T) *executor.ScheduledPool{
		"core size 0": func(t *testing.T) *executor.ScheduledPool { return withPool(t, 0) },
		"core timeout": func(t *testing.T) *executor.ScheduledPool {
			return withPool(t, 2, executor.CoreTimeout(), executor.KeepAlive(time.Millisecond))
		},
	}
	for name, pool := range pools {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool(t)
				withSchedule(t, p, 1000*time.Hour, withNothing)
				synctest.Wait()
				first := withWorkerGoroutines(t)
				require.Len(t, first, 1)
				for range 24 {
					withPassed(time.Hour)
					assert.Equal(t, first, withWorkerGoroutines(t))
				}
				assert.Equal(t, 1, p.Stats().Largest)
			})
		})
	}
}

// As in Java, where it is a complaint; a pool that grows comes with the plain pool.
func TestSTPE114_K05_TheMaximumSizeDoesNotMakeThePoolGrow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2, executor.MaximumSize(8))
		g := withNewGate(t)
		for range 10 {
			withSubmit(t, p, g.hold)
		}
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []int{2, 8, 2, 8}, []int{s.Core, s.Maximum, s.Workers, s.Queued})
	})
}

func TestSTPE114_TheMaximumSizeBoundsTheCoreSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1, executor.MaximumSize(2))
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
		p := withPool(t, 2, executor.MaximumSize(4), executor.CoreTimeout())
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
				p := withPool(t, 1)
				g := withNewGate(t)
				for range 1 + c.due {
					withSubmit(t, p, g.hold)
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
		p := withPool(t, 1)
		for range 5 {
			withSchedule(t, p, time.Hour, withNothing)
		}
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(5))
		synctest.Wait()
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeRetiresIdleWorkersAfterTheKeepAlive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 8)
		for range 8 {
			withSubmit(t, p, withSleep(time.Second))
		}
		withPassed(time.Minute)
		require.Equal(t, 8, withWorkers(p))
		require.NoError(t, p.SetCoreSize(3))
		withPassed(withKeepAlive - 1)
		assert.Equal(t, 8, withWorkers(p))
		withPassed(1)
		assert.Equal(t, 3, withWorkers(p))
		withPassed(time.Hour)
		assert.Equal(t, 3, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeDoesNotDisturbBusyWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 3)
		var errs [3]error
		for i := range errs {
			withSubmit(t, p, func(ctx context.Context) error {
				time.Sleep(time.Hour)
				errs[i] = ctx.Err()
				return nil
			})
		}
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(1))
		withPassed(time.Hour - 1)
		assert.Equal(t, 3, p.Stats().Busy)
		withPassed(1 + withKeepAlive)
		assert.Equal(t, [3]error{}, errs)
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeToZeroKeepsOneWorkerForTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 4)
		tr := withNewTrace()
		for range 4 {
			withSubmit(t, p, withSleep(time.Second))
		}
		withSchedule(t, p, time.Hour, tr.task("queued"))
		withPassed(time.Minute)
		require.NoError(t, p.SetCoreSize(0))
		withPassed(withKeepAlive)
		assert.Equal(t, 1, withWorkers(p))
		withPassed(time.Hour)
		assert.Equal(t, []string{"queued 1h0m0s"}, tr.seen())
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE115_LoweringTheCoreSizeOfAnIdlePoolToZeroLeavesNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 4)
		for range 4 {
			withSubmit(t, p, withSleep(time.Second))
		}
		withPassed(time.Minute)
		require.NoError(t, p.SetCoreSize(0))
		withPassed(withKeepAlive)
		assert.Zero(t, withWorkers(p))
		assert.Empty(t, withWorkerGoroutines(t))
	})
}

func TestSTPE115_ATaskMayChangeTheSizeOfItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		g := withNewGate(t)
		withSubmit(t, p, func(context.Context) error { return p.SetCoreSize(3) })
		for range 3 {
			withSubmit(t, p, g.hold)
		}
		synctest.Wait()
		assert.Equal(t, 3, p.Stats().Busy)
	})
}

func TestSTPE115_SetKeepAliveCountsForWorkersThatAreIdleAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2, executor.CoreTimeout(), executor.KeepAlive(time.Hour))
		withSubmit(t, p, withNothing)
		withPassed(time.Minute)
		require.Equal(t, 1, withWorkers(p))
		require.NoError(t, p.SetKeepAlive(time.Second))
		withPassed(time.Second - 1)
		assert.Equal(t, 1, withWorkers(p))
		withPassed(1)
		assert.Zero(t, withWorkers(p))
	})
}

func TestSTPE115_SetCoreTimeoutCountsForWorkersThatAreIdleAlready(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 4, executor.KeepAlive(time.Second))
		for range 4 {
			withSubmit(t, p, withSleep(time.Second))
		}
		withPassed(time.Hour)
		require.Equal(t, 4, withWorkers(p))
		require.NoError(t, p.SetCoreTimeout(true))
		withPassed(time.Second)
		assert.Zero(t, withWorkers(p))

		tr := withNewTrace()
		withSubmit(t, p, tr.task("after"))
		synctest.Wait()
		assert.Equal(t, []string{"after 0s"}, tr.seen())
		require.NoError(t, p.SetCoreTimeout(false))
		withPassed(time.Hour)
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestATaskThatComesAsAnIdleWorkerGivesUpIsNotLost(t *testing.T) {
	for _, core := range []int{0, 1, 2} {
		t.Run(fmt.Sprintf("core %d", core), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := withPool(t, core, executor.CoreTimeout())
				for range 300 {
					withSubmit(t, p, withNothing)
					time.Sleep(withKeepAlive) // not more: the worker gives up at this instant
					start := time.Now()
					f := withSubmit(t, p, withNothing)
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
		p := withPool(t, 2, executor.KeepAlive(3))
		tr := withNewTrace()
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 500 {
			at := time.Now().Add(time.Duration(1 + random.IntN(5)))
			_, err := p.ScheduleAt(at, func(context.Context) error {
				if !time.Now().Equal(at) {
					tr.mark("not on time")
				}
				return nil
			})
			require.NoError(t, err)
			require.NoError(t, p.SetCoreSize(random.IntN(4)))
			require.NoError(t, p.SetCoreTimeout(i%3 == 0))
			time.Sleep(time.Duration(random.IntN(4)))
		}
		withPassed(time.Hour)
		require.NoError(t, p.Close())
		assert.Empty(t, tr.seen())
		assert.EqualValues(t, 500, p.Stats().Completed)
	})
}

func TestSTPE116_BusyIsZeroAtRestAndOneWhileABodyRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2)
		assert.Zero(t, p.Stats().Busy)
		withSubmit(t, p, withSleep(time.Minute))
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Busy)
		withPassed(time.Minute)
		assert.Zero(t, p.Stats().Busy)
	})
}

func TestSTPE117_CompletedRisesOnlyAfterTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2)
		withSubmit(t, p, withSleep(time.Minute))
		withPassed(time.Minute - 1)
		s := p.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Completed, s.Runs})
		withPassed(1)
		s = p.Stats()
		assert.Equal(t, []uint64{1, 1}, []uint64{s.Completed, s.Runs})
	})
}

func TestSTPE118_AnUnusedPoolHasNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 5)
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Workers, s.Largest})
		assert.Empty(t, withWorkerGoroutines(t))
		withSubmit(t, p, withNothing)
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []int{1, 1}, []int{s.Workers, s.Largest})
		assert.Len(t, withWorkerGoroutines(t), 1)
	})
}

// Java starts a worker for each submission below the core size, even while others are idle.
func TestSTPE118_AnIdleWorkerIsPreferredToANewOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 5)
		for range 10 {
			withSubmit(t, p, withNothing)
			synctest.Wait()
		}
		assert.Equal(t, 1, withWorkers(p))
	})
}

func TestSTPE118_LargestNeverFalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 3)
		for range 5 {
			withSubmit(t, p, withSleep(time.Second))
		}
		withPassed(time.Minute)
		assert.Equal(t, 3, p.Stats().Largest)
		require.NoError(t, p.SetCoreSize(1))
		withPassed(time.Minute)
		s := p.Stats()
		assert.Equal(t, []int{1, 3}, []int{s.Workers, s.Largest})
		require.NoError(t, p.SetCoreSize(2))
		withSubmit(t, p, withSleep(time.Second))
		withSubmit(t, p, withSleep(time.Second))
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
		p := withPool(t, 1)
		g := withNewGate(t)
		withSubmit(t, p, withNothing)
		withSubmit(t, p, withFailure)
		synctest.Wait()
		withSubmit(t, p, g.hold)
		withSubmit(t, p, withNothing)
		withSchedule(t, p, time.Hour, withNothing)
		withSchedule(t, p, time.Hour, withNothing).Cancel()
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, []uint64{6, 2, 1, 0}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Returned})
		assert.Equal(t, []int{1, 2}, []int{s.Busy, s.Queued})

		g.open()
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
		p := withPool(t, 1)
		f := withRate(t, p, 0, time.Second, withNothing)
		withPassed(9 * time.Second)
		s := p.Stats()
		assert.Equal(t, []uint64{1, 0, 10}, []uint64{s.Accepted, s.Completed, s.Runs})
		assert.EqualValues(t, 10, f.Runs())
		f.Cancel()
		s = p.Stats()
		assert.Equal(t, []uint64{1, 0, 1, 10}, []uint64{s.Accepted, s.Completed, s.Cancelled, s.Runs})
	})
}
