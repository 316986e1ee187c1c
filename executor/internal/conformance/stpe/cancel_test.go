package stpe_test

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestSTPE060_ACancelledTaskThatWaitsIsDoneAtOnceAndNeverRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(10*time.Second, d.task("a"))
		require.NoError(t, err)
		assert.True(t, f.Cancel())
		assert.Equal(t, future.Cancelled, f.State())
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrCancelled)
		require.ErrorIs(t, err, context.Canceled)
		<-f.Stopped()
		time.Sleep(time.Minute)
		assert.Empty(t, d.theNames())
		assert.Zero(t, f.Runs())
	})
}

func TestSTPE060_StopIsCancelForATaskThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(10*time.Second, d.task("a"))
		require.NoError(t, err)
		assert.True(t, f.Stop())
		assert.Equal(t, future.Cancelled, f.State())
		time.Sleep(time.Minute)
		assert.Empty(t, d.theNames())
	})
}

func TestSTPE060_WhoeverWaitsForACancelledTaskIsReleasedAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		time.AfterFunc(3*time.Second, func() { f.Cancel() })
		began := time.Now()
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrCancelled)
		assert.Equal(t, 3*time.Second, time.Since(began))
	})
}

func TestSTPE060_AnOverdueTaskCanStillBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		f, err := p.Schedule(time.Second, d.task("a"))
		require.NoError(t, err)
		time.Sleep(5 * time.Second)
		assert.True(t, f.Cancel())
		release()
		synctest.Wait()
		assert.Empty(t, d.theNames())
	})
}

// Java keeps the entry until it is due, then calls hooks and counts it as completed.
func TestSTPE061_ACancelledTaskTriggersNoHooksAndCountsAsCancelledOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		p := startPool(t, 1,
			executor.BeforeRun(func(context.Context, executor.Run) { d.write("before") }),
			executor.AfterRun(func(context.Context, executor.Run, error) { d.write("after") }))
		f, err := p.Schedule(10*time.Second, d.task("a"))
		require.NoError(t, err)
		f.Cancel()
		time.Sleep(time.Minute)
		assert.Empty(t, d.theNames())
		s := p.Stats()
		assert.Equal(t, uint64(1), s.Accepted)
		assert.Equal(t, uint64(1), s.Cancelled)
		assert.Zero(t, s.Runs)
		assert.Zero(t, s.Completed)
	})
}

func TestSTPE062_ACancelledTaskLeavesTheQueueDuringTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for range 20_000 {
			f, err := p.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			require.True(t, f.Cancel())
			require.Zero(t, p.Stats().Queued)
		}
		s := p.Stats()
		assert.Equal(t, uint64(20_000), s.Cancelled)
		assert.Zero(t, s.Runs)
		assert.Zero(t, s.Completed)
	})
}

func TestSTPE062_TheOthersRunOnTimeWhereverTheCancelledOneStood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{1, 2, 3, 5, 30} {
			for cancelled := range n {
				p := startPool(t, 1)
				d := startDiary()
				var all []*executor.ScheduledFuture[struct{}]
				var want []int
				for i := range n {
					// Not in order of time, so that all of the heap is touched.
					at := 1 + i*7%n
					f, err := p.Schedule(time.Duration(at)*time.Second, d.task("a"))
					require.NoError(t, err)
					all = append(all, f)
				}
				synctest.Wait()
				require.True(t, all[cancelled].Cancel())
				for at := 1; at <= n; at++ {
					if at != 1+cancelled*7%n {
						want = append(want, at)
					}
				}
				time.Sleep(time.Minute)
				require.Equal(t, theSeconds(want...), d.theTimes(), "%d of %d", cancelled, n)
				require.NoError(t, p.Close())
			}
		}
	})
}

func TestSTPE062_CancellingTwiceRemovesNobodyElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(time.Second, d.task("first"))
		require.NoError(t, err)
		_, err = p.Schedule(2*time.Second, d.task("second"))
		require.NoError(t, err)
		f.Cancel()
		f.Cancel()
		f.Stop()
		assert.Equal(t, 1, p.Stats().Queued)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"second"}, d.theNames())
	})
}

func TestSTPE064_CancelOfARunningTaskSettlesItAndEndsItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var cause error
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return ctx.Err()
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, f.Cancel())
		assert.Equal(t, future.Cancelled, f.State())
		<-f.Stopped()
		assert.Same(t, future.ErrCancelled, cause)
		_, err = f.Get(t.Context())
		assert.Same(t, future.ErrCancelled, err)
	})
}

func TestSTPE064_TheReasonOfACancelReachesTheBodyAndTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var cause error
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		})
		require.NoError(t, err)
		synctest.Wait()
		assert.True(t, f.CancelCause(pooltest.ErrTask))
		<-f.Stopped()
		assert.Same(t, pooltest.ErrTask, cause)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, pooltest.ErrTask)
		assert.ErrorIs(t, err, future.ErrCancelled)
	})
}

// Java raises its count of completed tasks when the body returns; ours counts the run there, and
// the task as cancelled at once.
func TestSTPE064_TheBodyOfACancelledTaskKeepsItsWorkerUntilItReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Submit(d.lasting("deaf", 10*time.Second))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		f.Cancel()
		require.NoError(t, p.Execute(d.task("next")))
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, 1, s.Busy)
		assert.Equal(t, uint64(1), s.Cancelled)
		assert.Zero(t, s.Runs)
		<-f.Stopped()
		d.write("stopped")
		synctest.Wait()
		s = p.Stats()
		assert.Zero(t, s.Busy)
		assert.Equal(t, uint64(2), s.Runs)
		assert.Equal(t, uint64(1), s.Completed, "the next one only")
		assert.ElementsMatch(t, []string{"deaf", "next", "stopped"}, d.theNames())
		assert.Equal(t, theSeconds(0, 10, 10), d.theTimes())
	})
}

func TestSTPE065_StopLeavesARunningBodyInPeaceAndDropsItsResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outcomes := map[string]error{"value": nil, "error": pooltest.ErrTask}
		for name, outcome := range outcomes {
			p := startPool(t, 1)
			var inBody error
			f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
				time.Sleep(10 * time.Second)
				inBody = ctx.Err()
				return 42, outcome
			})
			require.NoError(t, err)
			time.Sleep(2 * time.Second)
			assert.True(t, f.Stop(), name)
			assert.Equal(t, future.Cancelled, f.State(), name)
			<-f.Stopped()
			require.NoError(t, inBody, name)
			v, err := f.Get(t.Context())
			assert.Zero(t, v, name)
			assert.Same(t, future.ErrCancelled, err, name)
			require.NoError(t, p.Close())
		}
	})
}

func TestSTPE065_AStoppedSeriesIsNotQueuedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", 5*time.Second))
		require.NoError(t, err)
		time.Sleep(12 * time.Second)
		assert.True(t, f.Stop())
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Busy)
		time.Sleep(time.Hour)
		assert.Equal(t, theSeconds(0, 10), d.theTimes())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestSTPE065_WhatACancelledRunReturnsIsNoFailureOfItsSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range []executor.ErrorPolicy{executor.StopOnPanic, executor.StopSeries, executor.Continue} {
			d := startDiary()
			p := startPool(t, 1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
				d.write("handler")
			}))
			f, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
				<-ctx.Done()
				return ctx.Err()
			}, executor.FailurePolicy(policy))
			require.NoError(t, err)
			synctest.Wait()
			require.True(t, f.Cancel())
			<-f.Stopped()
			assert.Empty(t, d.theNames(), "policy %d", policy)
			require.NoError(t, p.Close())
		}
	})
}

func TestSTPE066_AnEndedTaskCannotBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, outcome := range []error{nil, pooltest.ErrTask} {
			f, err := p.Submit(func(context.Context) error { return outcome })
			require.NoError(t, err)
			synctest.Wait()
			state := f.State()
			assert.False(t, f.Cancel())
			assert.False(t, f.Stop())
			assert.False(t, f.CancelCause(context.Canceled))
			assert.Equal(t, state, f.State())
			_, err = f.Get(t.Context())
			assert.Equal(t, outcome, err)
		}
		assert.Zero(t, p.Stats().Cancelled)
	})
}

func TestSTPE066_OnlyTheFirstCancelReturnsTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		assert.True(t, f.Stop())
		assert.False(t, f.Stop())
		assert.False(t, f.Cancel())
		assert.False(t, f.CancelCause(pooltest.ErrTask))
		assert.Equal(t, uint64(1), p.Stats().Cancelled)
		_, err = f.Get(t.Context())
		assert.NotErrorIs(t, err, pooltest.ErrTask)
	})
}

func TestSTPE066_OfManyCancelsAtOnceExactlyOneReturnsTrue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for range 50 {
			f, err := p.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			var won [8]bool
			var wg sync.WaitGroup
			for i := range won {
				wg.Go(func() {
					if i%2 == 0 {
						won[i] = f.Cancel()
					} else {
						won[i] = f.Stop()
					}
				})
			}
			wg.Wait()
			count := 0
			for _, w := range won {
				if w {
					count++
				}
			}
			require.Equal(t, 1, count)
			require.Equal(t, future.Cancelled, f.State())
		}
		assert.Equal(t, uint64(50), p.Stats().Cancelled)
		assert.Zero(t, p.Stats().Queued)
	})
}

// In Java nothing can interrupt a body any more that cancel(false) has left running.
func TestSTPE066_ACancelAfterStopReturnsFalseButEndsTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			d.write(context.Cause(ctx).Error())
			return nil
		})
		require.NoError(t, err)
		synctest.Wait()
		require.True(t, f.Stop())
		time.Sleep(5 * time.Second)
		assert.Empty(t, d.theNames())
		assert.False(t, f.Cancel())
		<-f.Stopped()
		assert.Equal(t, []string{future.ErrCancelled.Error()}, d.theNames())
		assert.Equal(t, theSeconds(5), d.theTimes())
	})
}

// Java may show the after-hook a set interrupt flag; ours shows it the ended context of the run.
func TestSTPE067_TheCancellationOfARunDoesNotReachTheNextTaskOfTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Submit(func(ctx context.Context) error { <-ctx.Done(); return nil })
		require.NoError(t, err)
		var inNext error
		next, err := p.Submit(func(ctx context.Context) error { inNext = ctx.Err(); return nil })
		require.NoError(t, err)
		synctest.Wait()
		f.Cancel()
		_, err = next.Get(t.Context())
		require.NoError(t, err)
		require.NoError(t, inNext)
		assert.Equal(t, 1, p.Stats().Largest, "both ran on one worker")
	})
}

// In Java a decorated task may hide from its own removal.
func TestSTPE068_ADecoratedTaskLeavesTheQueueWhenCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		p := startPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			return func(ctx context.Context) error { d.write("decorated"); return task(ctx) }
		}))
		f, err := p.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		g, err := p.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		f.Cancel()
		g.Cancel()
		assert.Zero(t, p.Stats().Queued)
		time.Sleep(3 * time.Hour)
		assert.Empty(t, d.theNames())
	})
}

// The after-hook stands between the end of the body and the queue.
func TestSTPE069_K08_ASeriesCancelledBetweenRunAndQueueIsNotQueued(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		self := make(chan *executor.ScheduledFuture[struct{}], 1)
		p := startPool(t, 1, executor.AfterRun(func(_ context.Context, run executor.Run, _ error) {
			if run.Number == 3 && (<-self).Cancel() {
				d.write("cancelled")
			}
		}))
		f, err := p.AtFixedRate(time.Second, time.Second, d.task("run"))
		require.NoError(t, err)
		self <- f
		time.Sleep(3*time.Second + 1)
		synctest.Wait()
		assert.Equal(t, []string{"run", "run", "run", "cancelled"}, d.theNames())
		assert.Zero(t, p.Stats().Queued)
		assert.Equal(t, uint64(1), p.Stats().Cancelled)
		time.Sleep(time.Hour)
		assert.Equal(t, uint64(3), f.Runs())
	})
}

func TestSTPE069_K08_ASeriesCancelledAsItsRunEndsLeavesNothingInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 2)
		for range 2_000 {
			ending := make(chan struct{})
			f, err := p.AtFixedRate(0, time.Hour, func(context.Context) error { close(ending); return nil })
			require.NoError(t, err)
			<-ending
			require.True(t, f.Cancel())
			synctest.Wait()
			require.Zero(t, p.Stats().Queued)
			require.Equal(t, future.Cancelled, f.State())
			require.Equal(t, uint64(1), f.Runs())
		}
	})
}
