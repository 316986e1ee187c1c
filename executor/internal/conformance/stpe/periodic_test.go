package stpe_test

import (
	"context"
	"math"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestSTPE040_STPE041_TheFirstRunComesExactlyAfterTheInitialDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 2)
		d := startDiary()
		_, err := p.AtFixedRate(3*time.Second, time.Hour, d.task("rate"))
		require.NoError(t, err)
		_, err = p.WithFixedDelay(4*time.Second, time.Hour, d.task("delay"))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"rate", "delay"}, d.theNames())
		assert.Equal(t, theSeconds(3, 4), d.theTimes())
	})
}

func TestSTPE042_FixedRateKeepsToItsGridHoweverLongRunsLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", theSeconds(0, 9, 1, 10, 3)...))
		require.NoError(t, err)
		time.Sleep(75 * time.Second)
		assert.Equal(t, theSeconds(0, 10, 20, 30, 40, 50, 60, 70), d.theTimes())
	})
}

func TestSTPE042_FixedRateKeepsToItsGridHoweverLateRunsStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		release := startBlocker(t, p)
		_, err := p.AtFixedRate(0, 10*time.Second, d.task("a"))
		require.NoError(t, err)
		time.Sleep(7 * time.Second)
		release()
		time.Sleep(25 * time.Second)
		assert.Equal(t, theSeconds(7, 10, 20, 30), d.theTimes())
	})
}

func TestSTPE042_FixedRateDoesNotDrift(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		const period = 333_333_333 // nanoseconds, a length that no rounding keeps
		f, err := p.AtFixedRate(period, period, d.task("a"), executor.MaxRuns(10_000))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		times := d.theTimes()
		require.Len(t, times, 10_000)
		for i, at := range times {
			require.Equal(t, time.Duration(i+1)*period, at)
		}
	})
}

func TestSTPE043_AllMissedRunsAreMadeUpForBackToBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		const ms = time.Millisecond
		_, err := p.AtFixedRate(0, 100*ms, d.lasting("a", 350*ms, 0))
		require.NoError(t, err)
		time.Sleep(550 * ms)
		assert.Equal(t, []time.Duration{0, 350 * ms, 350 * ms, 350 * ms, 400 * ms, 500 * ms}, d.theTimes())
	})
}

func TestSTPE044_FixedDelayCountsFromTheEndOfTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.WithFixedDelay(2*time.Second, 10*time.Second, d.lasting("a", theSeconds(5, 0, 30, 1)...))
		require.NoError(t, err)
		time.Sleep(80 * time.Second)
		assert.Equal(t, theSeconds(2, 17, 27, 67, 78), d.theTimes())
	})
}

func TestSTPE044_FixedDelayHasNothingToCatchUpWith(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range []executor.CatchUpPolicy{executor.Burst, executor.Skip, executor.Coalesce} {
			p := startPool(t, 1)
			d := startDiary()
			release := startBlocker(t, p)
			_, err := p.WithFixedDelay(0, 10*time.Second, d.task("a"), executor.CatchUp(policy))
			require.NoError(t, err)
			time.Sleep(47 * time.Second)
			release()
			time.Sleep(15 * time.Second)
			want := []theRun{{1, 0, 47 * time.Second, 0}, {2, 57 * time.Second, 57 * time.Second, 0}}
			assert.Equal(t, want, d.theRuns(), "policy %d", policy)
			require.NoError(t, p.Close())
		}
	})
}

func TestSTPE044_TheTimeOfTheAfterHookCountsTowardsTheFixedDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1, executor.AfterRun(func(context.Context, executor.Run, error) {
			time.Sleep(3 * time.Second)
		}))
		d := startDiary()
		_, err := p.WithFixedDelay(0, 10*time.Second, d.lasting("a", time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		assert.Equal(t, theSeconds(0, 11, 22), d.theTimes())
	})
}

func TestSTPE045_RunsOfOneSeriesNeverOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 4)
		d := startDiary()
		var inside atomic.Int32
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error {
			if inside.Add(1) > 1 {
				d.write("overlap")
			}
			time.Sleep(3 * time.Second)
			inside.Add(-1)
			return nil
		}, executor.MaxRuns(20))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Empty(t, d.theNames())
		assert.Equal(t, time.Minute, time.Since(d.began), "20 runs of 3 s one after the other")
	})
}

func TestSTPE045_ASeriesIsInTheQueueOrRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.AtFixedRate(0, 2*time.Second, d.lasting("a", time.Second))
		require.NoError(t, err)
		for range 3 {
			synctest.Wait()
			assert.Equal(t, [2]int{1, 0}, [2]int{p.Stats().Busy, p.Stats().Queued}, "during the run")
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, [2]int{0, 1}, [2]int{p.Stats().Busy, p.Stats().Queued}, "between runs")
			time.Sleep(time.Second)
		}
	})
}

// An exception of Java is a panic of Go. What a body returns ends a series that is to stop at that.
func TestSTPE046_ARunThatFailsEndsTheSeries(t *testing.T) {
	stop := []executor.TaskOption{executor.FailurePolicy(executor.StopSeries)}
	opts := map[string][]executor.TaskOption{"error": stop, "own cancel": stop}
	synctest.Test(t, func(t *testing.T) {
		fail := map[string]func() error{
			"error":      func() error { return pooltest.ErrTask },
			"panic":      func() error { panic("value") },
			"nil panic":  func() error { panic(nil) },
			"wrapped":    func() error { panic(pooltest.ErrTask) },
			"goexit":     func() error { runtime.Goexit(); return nil },
			"own cancel": func() error { return context.Canceled },
		}
		for name, fails := range fail {
			p := startPool(t, 1)
			f, err := p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
				if run, _ := executor.RunFrom(ctx); run.Number == 3 {
					return fails()
				}
				return nil
			}, opts[name]...)
			require.NoError(t, err, name)
			time.Sleep(time.Hour)
			assert.Equal(t, future.StateFailed, f.State(), name)
			assert.Equal(t, uint64(3), f.Runs(), name)
			assert.Zero(t, p.Stats().Queued, name)

			// The worker lives on, or has been replaced.
			alive, err := p.Submit(pooltest.Nothing)
			require.NoError(t, err, name)
			_, err = alive.Get(t.Context())
			require.NoError(t, err, name)
			assert.Equal(t, 1, p.Stats().Workers, name)
			require.NoError(t, p.Close())
		}
	})
}

func TestSTPE046_TheFutureOfAFailedSeriesTellsTheCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return pooltest.ErrTask }, executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Same(t, pooltest.ErrTask, err)

		f, err = p.WithFixedDelay(0, time.Second, func(context.Context) error { panic(pooltest.ErrTask) })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, pooltest.ErrTask)
		var panicked *future.PanicError
		require.ErrorAs(t, err, &panicked)
		assert.Contains(t, string(panicked.Stack), "periodic_test.go")
	})
}

// Java says nothing at all; ours tells the error handler and leaves one record in the log.
func TestSTPE046_ASeriesThatFailsIsNeverSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		var told []executor.Run
		var causes []error
		p := startPool(t, 1, log, executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
			told, causes = append(told, run), append(causes, err)
		}))
		d := startDiary()
		_, err := p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
			if run, _ := executor.RunFrom(ctx); run.Number == 2 {
				panic(pooltest.ErrTask)
			}
			return nil
		}, executor.Name("nightly"))
		require.NoError(t, err)
		time.Sleep(time.Hour)
		synctest.Wait()

		at := d.began.Add(time.Second)
		assert.Equal(t, []executor.Run{{Name: "nightly", Number: 2, Scheduled: at, Started: at,
			Periodic: true}}, told)
		require.Len(t, causes, 1)
		require.ErrorIs(t, causes[0], pooltest.ErrTask)
		require.Len(t, records(), 1)
		assert.Contains(t, records()[0], "task=nightly run=2")
		assert.Contains(t, records()[0], pooltest.ErrTask.Error())
	})
}

func TestSTPE047_GetOfALivingSeriesWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, pooltest.Nothing)
		require.NoError(t, err)

		began := time.Now()
		_, err = f.GetTimeout(10500 * time.Millisecond)
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 10500*time.Millisecond, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		_, err = f.Get(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, uint64(21), f.Runs(), "the series does not mind")
		assert.False(t, f.State().Settled())
	})
}

func TestSTPE047_GetOfASeriesReturnsWhenItIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, pooltest.Nothing)
		require.NoError(t, err)
		time.AfterFunc(5500*time.Millisecond, func() { f.Cancel() })
		began := time.Now()
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrCancelled)
		assert.Equal(t, 5500*time.Millisecond, time.Since(began))
	})
}

func TestSTPE048_ACancelFromInsideTheBodyLetsTheRunFinishAndPreventsTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cancels := map[string]func(*executor.ScheduledFuture[struct{}]) bool{
			"Stop":   func(f *executor.ScheduledFuture[struct{}]) bool { return f.Stop() },
			"Cancel": func(f *executor.ScheduledFuture[struct{}]) bool { return f.Cancel() },
		}
		for name, cancel := range cancels {
			p := startPool(t, 1)
			d := startDiary()
			self := make(chan *executor.ScheduledFuture[struct{}], 1)
			f, err := p.AtFixedRate(time.Second, time.Second, func(ctx context.Context) error {
				if run, _ := executor.RunFrom(ctx); run.Number == 3 && !cancel(<-self) {
					d.write("not cancelled")
				}
				d.write("end of run")
				return nil
			})
			require.NoError(t, err)
			self <- f
			time.Sleep(time.Hour)
			assert.Equal(t, []string{"end of run", "end of run", "end of run"}, d.theNames(), name)
			assert.Equal(t, future.Cancelled, f.State(), name)
			assert.Zero(t, p.Stats().Queued, name)
			require.NoError(t, p.Close())
		}
	})
}

func TestSTPE049_ASeriesThatMayNotGoOnAfterItsRunIsCancelledNotRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		p := startPool(t, 1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
			d.write("handler")
		}))
		f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("run", 5*time.Second))
		require.NoError(t, err)
		time.Sleep(2 * time.Second)
		p.Shutdown()
		synctest.Wait()
		assert.False(t, f.State().Settled(), "the run is left to finish")
		_, err = f.Get(t.Context())
		d.write("settled")
		require.ErrorIs(t, err, future.ErrCancelled)
		require.ErrorIs(t, err, executor.ErrShutdown)
		assert.Equal(t, []string{"run", "settled"}, d.theNames())
		assert.Equal(t, theSeconds(0, 5), d.theTimes())
		assert.Zero(t, p.Stats().Rejected)
	})
}

// Java counts each run as a completed task; ours counts runs and tasks apart.
func TestSTPE050_EachRunCountsOnceAndTheSeriesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.MaxRuns(3))
		require.NoError(t, err)
		for i := range 3 {
			synctest.Wait()
			assert.Equal(t, uint64(i+1), p.Stats().Runs)
			assert.Equal(t, uint64(i+1), f.Runs())
			assert.Equal(t, uint64(i/2), p.Stats().Completed)
			time.Sleep(time.Second)
		}
		assert.Equal(t, uint64(1), p.Stats().Accepted)
	})
}

func TestSTPE050_EachRunTriggersTheHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		p := startPool(t, 1,
			executor.BeforeRun(func(context.Context, executor.Run) { d.write("before") }),
			executor.AfterRun(func(context.Context, executor.Run, error) { d.write("after") }))
		_, err := p.WithFixedDelay(0, time.Second, d.task("run"), executor.MaxRuns(3))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{
			"before", "run", "after", "before", "run", "after", "before", "run", "after",
		}, d.theNames())
		assert.Equal(t, theSeconds(0, 0, 0, 1, 1, 1, 2, 2, 2), d.theTimes())
	})
}

func TestSTPE051_B10_AGiganticPeriodMeansOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, period := range []time.Duration{math.MaxInt64, math.MaxInt64 - 1} {
			p := startPool(t, 1)
			rate, err := p.AtFixedRate(time.Second, period, pooltest.Nothing)
			require.NoError(t, err)
			delay, err := p.WithFixedDelay(time.Second, period, pooltest.Nothing)
			require.NoError(t, err)
			time.Sleep(100 * 365 * 24 * time.Hour)
			for _, f := range []*executor.ScheduledFuture[struct{}]{rate, delay} {
				assert.Equal(t, uint64(1), f.Runs(), "period %d", period)
				assert.False(t, f.State().Settled())
				assert.Positive(t, f.Delay())
			}
			require.NoError(t, p.Close())
		}
	})
}

// In Java the time of such a series wraps, and it hides an overdue one behind it for ever.
func TestSTPE051_K09_AGiganticPeriodDoesNotHideAnOverdueSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		_, err := p.AtFixedRate(0, time.Second, d.task("short"))
		require.NoError(t, err)
		_, err = p.AtFixedRate(0, math.MaxInt64, d.task("gigantic"))
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		release()
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"short", "gigantic", "short", "short", "short", "short", "short"}, d.theNames())
		assert.Equal(t, theSeconds(3, 3, 3, 3, 3, 4, 5), d.theTimes())
	})
}

func TestSTPE052_ASeriesEndsByCancelFailureShutdownOrItsLastRun(t *testing.T) {
	type series = executor.ScheduledFuture[struct{}]
	endings := map[string]struct {
		end   func(p *executor.ScheduledPool, f *series)
		state future.State
	}{
		"cancel":      {func(_ *executor.ScheduledPool, f *series) { f.Cancel() }, future.Cancelled},
		"stop":        {func(_ *executor.ScheduledPool, f *series) { f.Stop() }, future.Cancelled},
		"shutdown":    {func(p *executor.ScheduledPool, _ *series) { p.Shutdown() }, future.Cancelled},
		"shutdownNow": {func(p *executor.ScheduledPool, _ *series) { p.ShutdownNow() }, future.Cancelled},
		"failure":     {nil, future.StateFailed},
		"last run":    {nil, future.Succeeded},
	}
	synctest.Test(t, func(t *testing.T) {
		for name, e := range endings {
			p := startPool(t, 1)
			var opts []executor.TaskOption
			if name == "last run" {
				opts = append(opts, executor.MaxRuns(3))
			}
			f, err := p.AtFixedRate(0, time.Second, func(ctx context.Context) error {
				if run, _ := executor.RunFrom(ctx); run.Number == 3 && name == "failure" {
					panic(pooltest.ErrTask)
				}
				return nil
			}, opts...)
			require.NoError(t, err)
			time.Sleep(2500 * time.Millisecond)
			if e.end != nil {
				assert.False(t, f.State().Settled(), name)
				e.end(p, f)
			}
			assert.Equal(t, e.state, f.State(), name)
			time.Sleep(time.Hour)
			assert.Equal(t, uint64(3), f.Runs(), name)
			assert.Zero(t, p.Stats().Queued, name)
			require.NoError(t, p.Close())
		}
	})
}

// Java leaves the future of a drained series pending.
func TestSTPE052_ASeriesDrainedByShutdownNowIsSettledAndHandedBackOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.Name("series"))
		require.NoError(t, err)
		time.Sleep(2500 * time.Millisecond)
		pending := p.ShutdownNow()
		require.Len(t, pending, 1)
		assert.Equal(t, "series", pending[0].Name)
		assert.Equal(t, uint64(3), pending[0].Runs)
		assert.True(t, pending[0].Periodic)
		r, settled := f.Poll()
		require.True(t, settled)
		require.ErrorIs(t, r.Err, future.ErrCancelled)
		assert.ErrorIs(t, r.Err, executor.ErrShutdown)
	})
}
