package stpe_test

import (
	"context"
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// theRunAt returns what a run is told, with times in seconds.
func theRunAt(number uint64, scheduled, started int, missed uint64) theRun {
	return theRun{number, time.Duration(scheduled) * time.Second, time.Duration(started) * time.Second, missed}
}

// startSeries returns the runs up to 65 s of a series with period 10 s from 0 on, whose third run,
// at 20 s, lasts as long as given.
func startSeries(t *testing.T, policy executor.CatchUpPolicy, third time.Duration) []theRun {
	t.Helper()
	p := startPool(t, 1)
	d := startDiary()
	f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", 0, 0, third, 0), executor.CatchUp(policy))
	require.NoError(t, err)
	time.Sleep(65 * time.Second)
	f.Cancel()
	return d.theRuns()
}

// startSeriesBlocked returns the runs up to 65 s of a series with period 10 s from 10 s on, on a
// worker that other work occupies between the two times.
func startSeriesBlocked(t *testing.T, policy executor.CatchUpPolicy, from, to time.Duration) []theRun {
	t.Helper()
	p := startPool(t, 1)
	d := startDiary()
	f, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("a"), executor.CatchUp(policy))
	require.NoError(t, err)
	_, err = p.Schedule(from, func(context.Context) error { time.Sleep(to - from); return nil })
	require.NoError(t, err)
	time.Sleep(65 * time.Second)
	f.Cancel()
	return d.theRuns()
}

// thePolicies are all of them.
var thePolicies = []executor.CatchUpPolicy{executor.Burst, executor.Skip, executor.Coalesce}

func TestB_11_CatchUp_BurstGivesEveryPeriodItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 10, 0),
			theRunAt(3, 20, 20, 0),
			theRunAt(4, 30, 47, 1),
			theRunAt(5, 40, 47, 0),
			theRunAt(6, 50, 50, 0),
			theRunAt(7, 60, 60, 0),
		}, startSeries(t, executor.Burst, 27*time.Second))
	})
}

func TestB_11_CatchUp_CoalesceGivesOneRunForAllThatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 10, 0),
			theRunAt(3, 20, 20, 0),
			theRunAt(4, 40, 47, 1),
			theRunAt(5, 50, 50, 0),
			theRunAt(6, 60, 60, 0),
		}, startSeries(t, executor.Coalesce, 27*time.Second))
	})
}

func TestB_11_CatchUp_SkipDropsAllThatPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 10, 0),
			theRunAt(3, 20, 20, 0),
			theRunAt(4, 50, 50, 2),
			theRunAt(5, 60, 60, 0),
		}, startSeries(t, executor.Skip, 27*time.Second))
	})
}

func TestCatchUp_BurstIsTheDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", 27*time.Second, 0))
		require.NoError(t, err)
		time.Sleep(35 * time.Second)
		assert.Equal(t, theSeconds(0, 27, 27, 30), d.theTimes())
	})
}

func TestCatchUp_ARunThatEndsOnTheNextSlotMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range thePolicies {
			assert.Equal(t, []theRun{
				theRunAt(1, 0, 0, 0),
				theRunAt(2, 10, 10, 0),
				theRunAt(3, 20, 20, 0),
				theRunAt(4, 30, 30, 0),
				theRunAt(5, 40, 40, 0),
				theRunAt(6, 50, 50, 0),
				theRunAt(7, 60, 60, 0),
			}, startSeries(t, policy, 10*time.Second), "policy %d", policy)
		}
	})
}

// The slot at 40 s has not passed when the run ends, on its very nanosecond.
func TestCatchUp_ARunThatEndsOnALaterSlotStillMakesThatSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on40 := []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 10, 0),
			theRunAt(3, 20, 20, 0),
			theRunAt(4, 40, 40, 1),
			theRunAt(5, 50, 50, 0),
			theRunAt(6, 60, 60, 0),
		}
		assert.Equal(t, on40, startSeries(t, executor.Skip, 20*time.Second))
		assert.Equal(t, on40, startSeries(t, executor.Coalesce, 20*time.Second))
		assert.Equal(t, []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 10, 0),
			theRunAt(3, 20, 20, 0),
			theRunAt(4, 30, 40, 1),
			theRunAt(5, 40, 40, 0),
			theRunAt(6, 50, 50, 0),
			theRunAt(7, 60, 60, 0),
		}, startSeries(t, executor.Burst, 20*time.Second))
	})
}

func TestCatchUp_ANanosecondDecidesWhetherASlotHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		before := startSeries(t, executor.Skip, 20*time.Second-1)
		assert.Equal(t, theRunAt(4, 40, 40, 1), before[3])
		after := startSeries(t, executor.Skip, 20*time.Second+1)
		assert.Equal(t, theRunAt(4, 50, 50, 2), after[3])
	})
}

func TestCatchUp_BurstMakesUpForARunThatWaitedForAWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Equal(t, []theRun{
			theRunAt(1, 10, 47, 3),
			theRunAt(2, 20, 47, 2),
			theRunAt(3, 30, 47, 1),
			theRunAt(4, 40, 47, 0),
			theRunAt(5, 50, 50, 0),
			theRunAt(6, 60, 60, 0),
		}, startSeriesBlocked(t, executor.Burst, 5*time.Second, 47*time.Second))
	})
}

func TestCatchUp_ARunThatWaitedForAWorkerCountsForTheLatestSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce} {
			assert.Equal(t, []theRun{
				theRunAt(1, 40, 47, 3),
				theRunAt(2, 50, 50, 0),
				theRunAt(3, 60, 60, 0),
			}, startSeriesBlocked(t, policy, 5*time.Second, 47*time.Second), "policy %d", policy)
		}
	})
}

func TestCatchUp_ARunThatGetsItsWorkerOnASlotCountsForThatSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce} {
			assert.Equal(t, []theRun{
				theRunAt(1, 40, 40, 3),
				theRunAt(2, 50, 50, 0),
				theRunAt(3, 60, 60, 0),
			}, startSeriesBlocked(t, policy, 5*time.Second, 40*time.Second), "policy %d", policy)
		}
	})
}

func TestCatchUp_ARunLateByLessThanAPeriodMissesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range thePolicies {
			assert.Equal(t, []theRun{
				theRunAt(1, 10, 19, 0),
				theRunAt(2, 20, 20, 0),
				theRunAt(3, 30, 30, 0),
				theRunAt(4, 40, 40, 0),
				theRunAt(5, 50, 50, 0),
				theRunAt(6, 60, 60, 0),
			}, startSeriesBlocked(t, policy, 5*time.Second, 19*time.Second), "policy %d", policy)
		}
	})
}

// The run at 20 s lasts until 47 s, and at 48 s another task takes the worker until 75 s.
func TestCatchUp_SkipAddsUpWhatALongRunAndABusyWorkerCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		_, err := p.AtFixedRate(20*time.Second, 10*time.Second, d.lasting("a", 27*time.Second, 0),
			executor.CatchUp(executor.Skip))
		require.NoError(t, err)
		_, err = p.Schedule(48*time.Second, func(context.Context) error { time.Sleep(27 * time.Second); return nil })
		require.NoError(t, err)
		time.Sleep(95 * time.Second)
		assert.Equal(t, []theRun{
			theRunAt(1, 20, 20, 0),
			theRunAt(2, 70, 75, 4), // 30 and 40 under the run, 50 and 60 under the other task
			theRunAt(3, 80, 80, 0),
			theRunAt(4, 90, 90, 0),
		}, d.theRuns())
	})
}

func TestCatchUp_CoalesceDoesNotMergeWhatComesAfterALateRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		// The second run, which makes up for 10 s, ends behind the slot of 20 s.
		_, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", theSeconds(15, 8, 0)...),
			executor.CatchUp(executor.Coalesce))
		require.NoError(t, err)
		time.Sleep(35 * time.Second)
		assert.Equal(t, []theRun{
			theRunAt(1, 0, 0, 0),
			theRunAt(2, 10, 15, 0),
			theRunAt(3, 20, 23, 0),
			theRunAt(4, 30, 30, 0),
		}, d.theRuns())
	})
}

func TestCatchUp_AYearOfMissedNanosecondsIsOneRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const year = 365 * 24 * time.Hour
		for _, policy := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce} {
			p := startPool(t, 1)
			d := startDiary()
			f, err := p.AtFixedRate(0, 1, d.lasting("a", year, 0), executor.CatchUp(policy), executor.MaxRuns(2))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			assert.Equal(t, theRun{2, year, year, uint64(year) - 1}, d.theRuns()[1], "policy %d", policy)
			require.NoError(t, p.Close())
		}
	})
}

func TestCatchUp_AnUnknownPolicyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.CatchUp(executor.Coalesce+1))
		require.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, p.Stats().Accepted)
	})
}

func TestCatchUp_ATaskThatRunsOnceIgnoresThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, policy := range thePolicies {
			p := startPool(t, 1)
			release := startBlocker(t, p)
			d := startDiary()
			_, err := p.Schedule(10*time.Second, d.task("a"), executor.CatchUp(policy))
			require.NoError(t, err)
			time.Sleep(47 * time.Second)
			release()
			require.NoError(t, p.Close())
			assert.Equal(t, []theRun{theRunAt(1, 10, 47, 0)}, d.theRuns(), "policy %d", policy)
		}
	})
}

func TestJitter_EveryRunComesWithinItsWindowAndTheGridStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		const jitter = 3 * time.Second
		f, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("a"),
			executor.Jitter(jitter), executor.MaxRuns(300))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		runs := d.theRuns()
		require.Len(t, runs, 300)
		seen := map[time.Duration]bool{}
		for i, run := range runs {
			late := run.Started - time.Duration(i+1)*10*time.Second
			require.GreaterOrEqual(t, late, time.Duration(0), "run %d is early", i+1)
			require.Less(t, late, jitter, "run %d", i+1)
			require.Equal(t, run.Started, run.Scheduled, "run %d", i+1)
			require.Zero(t, run.Missed)
			seen[late] = true
		}
		assert.Greater(t, len(seen), 290, "nanoseconds out of three billion differ")
	})
}

func TestJitter_TheGridStaysThroughAStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const jitter = 3 * time.Second
		for _, policy := range thePolicies {
			p := startPool(t, 1)
			d := startDiary()
			_, err := p.AtFixedRate(10*time.Second, 10*time.Second, d.task("a"),
				executor.Jitter(jitter), executor.CatchUp(policy))
			require.NoError(t, err)
			_, err = p.Schedule(15*time.Second, func(context.Context) error { time.Sleep(31 * time.Second); return nil })
			require.NoError(t, err)
			time.Sleep(95 * time.Second)
			late := map[time.Duration]bool{}
			for i, run := range d.theRuns() {
				off := run.Scheduled % (10 * time.Second)
				require.Less(t, off, jitter, "policy %d, run %d", policy, i+1)
				require.GreaterOrEqual(t, run.Started, run.Scheduled)
				late[run.Started-run.Scheduled] = true
			}
			assert.Greater(t, len(late), 1, "there was a stall")
			last := d.theRuns()[len(d.theRuns())-1]
			assert.Equal(t, 90*time.Second, last.Started-last.Started%(10*time.Second))
			require.NoError(t, p.Close())
		}
	})
}

func TestJitter_DelaysATaskThatRunsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		seen := map[time.Duration]bool{}
		for range 100 {
			d := startDiary()
			f, err := p.Schedule(10*time.Second, d.task("a"), executor.Jitter(time.Second))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			late := d.theTimes()[0] - 10*time.Second
			require.GreaterOrEqual(t, late, time.Duration(0))
			require.Less(t, late, time.Second)
			seen[late] = true
		}
		assert.Greater(t, len(seen), 90)
	})
}

func TestJitter_FixedDelayIsTheLeastBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.WithFixedDelay(0, 10*time.Second, d.lasting("a", 4*time.Second),
			executor.Jitter(time.Second), executor.MaxRuns(100))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		times := d.theTimes()
		for i := 1; i < len(times); i++ {
			gap := times[i] - times[i-1] - 4*time.Second
			require.GreaterOrEqual(t, gap, 10*time.Second)
			require.Less(t, gap, 11*time.Second)
		}
	})
}

func TestJitter_ItsBoundIsExclusive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, jitter := range []time.Duration{0, 1} {
			p := startPool(t, 1)
			d := startDiary()
			_, err := p.AtFixedRate(0, 10*time.Second, d.task("a"), executor.Jitter(jitter))
			require.NoError(t, err)
			time.Sleep(35 * time.Second)
			assert.Equal(t, theSeconds(0, 10, 20, 30), d.theTimes(), "jitter %d", jitter)
			require.NoError(t, p.Close())
		}
	})
}

func TestJitter_TheFutureTellsTheDisturbedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.Schedule(10*time.Second, d.task("a"), executor.Jitter(time.Hour))
		require.NoError(t, err)
		next, planned := f.Next()
		require.True(t, planned)
		assert.Equal(t, next.Sub(d.began), f.Delay())
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []time.Duration{next.Sub(d.began)}, d.theTimes())
	})
}

func TestJitter_AtTheEndOfTheClockDoesNotWrap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for range 100 {
			f, err := p.Schedule(math.MaxInt64, pooltest.Nothing, executor.Jitter(math.MaxInt64))
			require.NoError(t, err)
			require.Equal(t, time.Duration(math.MaxInt64-1), f.Delay())
		}
	})
}

func TestJitter_ANegativeOneIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.Schedule(0, pooltest.Nothing, executor.Jitter(-1))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}

func TestMaxRuns_TheSeriesSucceedsWithItsLastRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		rate, err := p.AtFixedRate(time.Second, 10*time.Second, d.task("rate"), executor.MaxRuns(3))
		require.NoError(t, err)
		delay, err := p.WithFixedDelay(2*time.Second, 10*time.Second, d.task("delay"), executor.MaxRuns(2))
		require.NoError(t, err)

		_, err = delay.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 12*time.Second, time.Since(d.began))
		_, err = rate.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 21*time.Second, time.Since(d.began))

		time.Sleep(time.Hour)
		assert.Equal(t, theSeconds(1, 2, 11, 12, 21), d.theTimes())
		assert.Equal(t, uint64(2), p.Stats().Completed)
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestMaxRuns_CountsRunsNotMissedPeriods(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("a", 27*time.Second, 0),
			executor.MaxRuns(3), executor.CatchUp(executor.Skip))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, theSeconds(0, 30, 40), d.theTimes())
	})
}

func TestMaxRuns_OneRunIsASeriesStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.MaxRuns(1))
		require.NoError(t, err)
		assert.True(t, f.Periodic())
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, uint64(1), f.Runs())
		_, planned := f.Next()
		assert.False(t, planned)
	})
}

func TestMaxRuns_AFailureEndsTheSeriesBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return pooltest.ErrTask },
			executor.MaxRuns(3), executor.OnError(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Same(t, pooltest.ErrTask, err)
		assert.Equal(t, uint64(1), f.Runs())
	})
}

func TestMaxRuns_BelowOneIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, n := range []int{0, -1, math.MinInt} {
			_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.MaxRuns(n))
			require.ErrorIs(t, err, executor.ErrInvalid, "%d runs", n)
		}
	})
}

func TestB_13_OnErrorContinue_TheSeriesGoesOnInStepAndTheHandlerIsToldOfEachFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := map[string]func() error{
			"error":  func() error { return pooltest.ErrTask },
			"panic":  func() error { panic(pooltest.ErrTask) },
			"goexit": func() error { runtime.Goexit(); return nil },
		}
		for name, fails := range fail {
			var told []uint64
			var cause error
			p := startPool(t, 1, executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
				told, cause = append(told, run.Number), err
			}))
			d := startDiary()
			f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
				d.write("a")
				if run, _ := executor.RunFrom(ctx); run.Number%2 == 0 {
					return fails()
				}
				return nil
			}, executor.OnError(executor.Continue))
			require.NoError(t, err)
			time.Sleep(45 * time.Second)
			synctest.Wait()

			assert.Equal(t, theSeconds(0, 10, 20, 30, 40), d.theTimes(), name)
			assert.Equal(t, []uint64{2, 4}, told, name)
			if name == "goexit" {
				require.ErrorIs(t, cause, future.ErrGoexit)
			} else {
				require.ErrorIs(t, cause, pooltest.ErrTask, name)
			}
			assert.False(t, f.State().Settled(), name)
			assert.Equal(t, uint64(2), p.Stats().Failures, name)
			assert.Equal(t, uint64(5), p.Stats().Runs, name)
			require.NoError(t, p.Close())
		}
	})
}

func TestOnErrorContinue_WithoutAHandlerFailuresAreLoggedSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		_, err := p.WithFixedDelay(0, 10*time.Second, func(context.Context) error { return pooltest.ErrTask },
			executor.OnError(executor.Continue), executor.Name("nightly"))
		require.NoError(t, err)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		require.Len(t, records(), 2, "of three")
		assert.Contains(t, records()[1], "task=nightly run=2")
	})
}

func TestOnErrorContinue_AFailureOfTheLastRunIsNoEndByFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		var told []uint64
		p := startPool(t, 1, log, executor.ErrorHandler(func(_ context.Context, run executor.Run, _ error) {
			told = append(told, run.Number)
		}))
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return pooltest.ErrTask },
			executor.OnError(executor.Continue), executor.MaxRuns(3))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err, "a series succeeds after its runs, and failures do not end this one")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2, 3}, told)
		assert.Empty(t, records(), "the handler was told")
	})
}

func TestOnErrorContinue_ATaskThatRunsOnceIgnoresThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(0, func(context.Context) error { return pooltest.ErrTask }, executor.OnError(executor.Continue))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Same(t, pooltest.ErrTask, err)
	})
}

func TestOnError_AnUnknownPolicyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.OnError(executor.Continue+1))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}

func TestTimeout_TheContextOfTheRunEndsWithItsCause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var deadline time.Time
		var ended, cause error
		f, err := p.Schedule(3*time.Second, func(ctx context.Context) error {
			deadline, _ = ctx.Deadline()
			<-ctx.Done()
			d.write("context ended")
			ended, cause = ctx.Err(), context.Cause(ctx)
			return ctx.Err()
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		assert.Equal(t, d.began.Add(5*time.Second), deadline)
		assert.Equal(t, theSeconds(5), d.theTimes())
		assert.Equal(t, context.DeadlineExceeded, ended)
		assert.EqualError(t, cause, "executor: timed out after 2s")
	})
}

func TestTimeout_TheFutureIsSettledAtTheTimeoutOnceAndForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		// The body ignores its context.
		f, err := executor.Schedule(p, 0, func(context.Context) (int, error) {
			time.Sleep(10 * time.Second)
			d.write("body ends")
			return 42, nil
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		d.write("settled")
		require.ErrorIs(t, err, future.ErrTimeout)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, future.StateFailed, f.State())
		assert.False(t, f.Cancel())

		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Busy, "the worker stays occupied")
		<-f.Stopped()
		d.write("stopped")
		v, err := f.Get(t.Context())
		assert.Zero(t, v)
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, theSeconds(2, 10, 10), d.theTimes())
		assert.Equal(t, []string{"settled", "body ends", "stopped"}, d.theNames())
	})
}

func TestTimeout_ARunThatTimesOutCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Submit(func(context.Context) error { time.Sleep(10 * time.Second); return pooltest.ErrTask },
			executor.Timeout(2*time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		synctest.Wait()
		s := p.Stats()
		assert.Equal(t, uint64(1), s.Completed)
		assert.Equal(t, uint64(1), s.Runs)
		assert.Equal(t, uint64(1), s.Failures)
		assert.Zero(t, s.Cancelled)
		assert.Zero(t, s.Busy)
	})
}

func TestTimeout_CountsFromTheStartOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		release := startBlocker(t, p)
		d := startDiary()
		f, err := p.Schedule(time.Second, d.lasting("a", time.Minute), executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(30 * time.Second)
		assert.False(t, f.State().Settled(), "a task that waits does not time out")
		release()
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 32*time.Second, time.Since(d.began))
	})
}

func TestTimeout_ARunInTimeKeepsItsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, outcome := range []error{nil, pooltest.ErrTask} {
			f, err := executor.Submit(p, func(context.Context) (int, error) {
				time.Sleep(2*time.Second - 1)
				return 42, outcome
			}, executor.Timeout(2*time.Second))
			require.NoError(t, err)
			v, err := f.Get(t.Context())
			assert.Equal(t, 42, v)
			assert.Equal(t, outcome, err)
			time.Sleep(time.Minute)
			_, err = f.Get(t.Context())
			assert.Equal(t, outcome, err)
		}
	})
}

func TestTimeout_ACancelBeforeItWins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var cause error
		f, err := p.Submit(func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return nil
		}, executor.Timeout(2*time.Second))
		require.NoError(t, err)
		time.Sleep(time.Second)
		require.True(t, f.Cancel())
		<-f.Stopped()
		assert.Equal(t, future.ErrCancelled, cause)
		time.Sleep(time.Minute)
		assert.Equal(t, future.Cancelled, f.State())
	})
}

func TestTimeout_EndsAStopSeriesAtThatMomentLoudly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		d := startDiary()
		var told []error
		p := startPool(t, 1, log, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			d.write("handler")
			told = append(told, err)
		}))
		// The second run stands, and ignores its context.
		f, err := p.AtFixedRate(0, 10*time.Second, d.lasting("run", 0, 35*time.Second),
			executor.Timeout(2*time.Second), executor.OnError(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, future.ErrTimeout)
		assert.Equal(t, 12*time.Second, time.Since(d.began))
		<-f.Stopped()
		assert.Equal(t, 45*time.Second, time.Since(d.began))

		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, []string{"run", "run", "handler"}, d.theNames())
		assert.Equal(t, theSeconds(0, 10, 12), d.theTimes())
		require.Len(t, told, 1)
		assert.EqualError(t, told[0], "executor: timed out after 2s")
		assert.Len(t, records(), 1)
		assert.Equal(t, uint64(1), p.Stats().Completed)
		assert.Equal(t, uint64(1), p.Stats().Failures)
	})
}

func TestTimeout_ASeriesThatContinuesGoesOnWhenItsBodyReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := startDiary()
		var told []error
		p := startPool(t, 1, executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
			d.write("handler")
			told = append(told, err)
		}))
		// The first run heeds its context, the second ignores it, the third is in time.
		f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			d.write("run")
			switch run, _ := executor.RunFrom(ctx); run.Number {
			case 1:
				<-ctx.Done()
				return ctx.Err()
			case 2:
				time.Sleep(7 * time.Second)
				return pooltest.ErrTask
			}
			return nil
		}, executor.Timeout(2*time.Second), executor.OnError(executor.Continue))
		require.NoError(t, err)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		assert.Equal(t, []string{"run", "handler", "run", "handler", "run"}, d.theNames())
		assert.Equal(t, theSeconds(0, 2, 10, 12, 20), d.theTimes(), "the handler is told at the time-out")
		assert.False(t, f.State().Settled())
		assert.Len(t, told, 2)
		for _, err := range told {
			assert.EqualError(t, err, "executor: timed out after 2s")
		}
	})
}

func TestTimeout_EachRunOfASeriesHasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		d := startDiary()
		var left []time.Duration
		f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			deadline, _ := ctx.Deadline()
			left = append(left, time.Until(deadline))
			time.Sleep(8 * time.Second)
			if ctx.Err() != nil {
				d.write("ended")
			}
			return nil
		}, executor.Timeout(9*time.Second), executor.MaxRuns(4))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, theSeconds(9, 9, 9, 9), left)
		assert.Empty(t, d.theNames())
	})
}

func TestTimeout_OneThatIsNotPositiveIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, timeout := range []time.Duration{0, -1, math.MinInt64} {
			_, err := p.Submit(pooltest.Nothing, executor.Timeout(timeout))
			require.ErrorIs(t, err, executor.ErrInvalid, "timeout %d", timeout)
		}
		f, err := p.Submit(pooltest.Nothing, executor.Timeout(math.MaxInt64))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
	})
}

func TestRunFrom_OutsideARunTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, ctx := range []context.Context{nil, context.Background(), t.Context()} {
			run, ok := executor.RunFrom(ctx)
			assert.False(t, ok)
			assert.Zero(t, run)
		}
	})
}

func TestRunFrom_InATaskRunByHandTellsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var inBody bool
		task := future.NewTask(func(ctx context.Context) (int, error) {
			_, inBody = executor.RunFrom(ctx)
			return 0, nil
		})
		task.Run(t.Context())
		assert.False(t, inBody)
	})
}

func TestRunFrom_TellsNameNumberAndTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		began := time.Now()
		var runs []executor.Run
		body := func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			runs = append(runs, run)
			return nil
		}
		_, err := p.Schedule(5*time.Second, body, executor.Name("once"))
		require.NoError(t, err)
		_, err = p.AtFixedRate(6*time.Second, 10*time.Second, body, executor.Name("series"))
		require.NoError(t, err)
		require.NoError(t, p.Execute(body))
		time.Sleep(20 * time.Second)
		synctest.Wait()
		at := func(seconds int) time.Time { return began.Add(time.Duration(seconds) * time.Second) }
		assert.Equal(t, []executor.Run{
			{Number: 1, Scheduled: at(0), Started: at(0)},
			{Name: "once", Number: 1, Scheduled: at(5), Started: at(5)},
			{Name: "series", Number: 1, Scheduled: at(6), Started: at(6)},
			{Name: "series", Number: 2, Scheduled: at(16), Started: at(16)},
		}, runs)
	})
}

func TestRunFrom_WorksWithADerivedContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		type key struct{}
		var names []string
		f, err := p.Submit(func(ctx context.Context) error {
			valued := context.WithValue(ctx, key{}, 1)
			cancelled, cancel := context.WithCancel(valued)
			cancel()
			timed, release := context.WithTimeout(cancelled, time.Second)
			defer release()
			for _, derived := range []context.Context{valued, cancelled, timed, context.WithoutCancel(ctx)} {
				run, _ := executor.RunFrom(derived)
				names = append(names, run.Name)
			}
			return nil
		}, executor.Name("a"))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, []string{"a", "a", "a", "a"}, names)
	})
}

func TestRunFrom_WorksInAGoroutineOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		var during, after bool
		over := make(chan struct{})
		f, err := p.Submit(func(ctx context.Context) error {
			started := make(chan struct{})
			go func() {
				defer close(over)
				_, during = executor.RunFrom(ctx)
				close(started)
				time.Sleep(time.Second)
				_, after = executor.RunFrom(ctx)
			}()
			<-started
			return nil
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		<-over
		assert.True(t, during)
		assert.False(t, after, "the goroutine has outlived the run")
	})
}

func TestRunFrom_WorksInTheHooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var before, after executor.Run
		p := startPool(t, 1,
			executor.BeforeRun(func(ctx context.Context, run executor.Run) {
				before, _ = executor.RunFrom(ctx)
				before.Number -= run.Number
			}),
			executor.AfterRun(func(_ context.Context, run executor.Run, _ error) { after = run }))
		_, err := p.Submit(pooltest.Nothing, executor.Name("a"))
		require.NoError(t, err)
		synctest.Wait()
		assert.Equal(t, "a", before.Name)
		assert.Zero(t, before.Number, "both tell the same run")
		assert.Equal(t, "a", after.Name)
	})
}

func TestRunFrom_TellsNothingBetweenRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		first := make(chan context.Context, 10)
		_, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
			first <- ctx
			return nil
		})
		require.NoError(t, err)
		ctx := <-first
		synctest.Wait()
		_, ok := executor.RunFrom(ctx)
		assert.False(t, ok)
	})
}

// startSecondRun returns the context of the first run of a series, of which use has been made there,
// while the second run is in progress.
func startSecondRun(t *testing.T, use func(ctx context.Context)) (first context.Context) {
	t.Helper()
	p := startPool(t, 1)
	contexts := make(chan context.Context, 1)
	_, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
		if run, _ := executor.RunFrom(ctx); run.Number == 1 {
			use(ctx)
			contexts <- ctx
			return nil
		}
		time.Sleep(5 * time.Second)
		return nil
	})
	require.NoError(t, err)
	time.Sleep(12 * time.Second)
	require.Equal(t, 1, p.Stats().Busy)
	return <-contexts
}

func TestRunFrom_TheContextOfAnEarlierRunTellsNothingDuringALaterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uses := map[string]func(context.Context){
			"Done": func(ctx context.Context) { ctx.Done() },
			"Err":  func(ctx context.Context) { _ = ctx.Err() },
		}
		for name, use := range uses {
			run, ok := executor.RunFrom(startSecondRun(t, use))
			assert.False(t, ok, "%s: told of run %d", name, run.Number)
		}
	})
}

// Whatever the first use was, by which the context was told from the next run's.
func TestRunFrom_TheContextOfAnEarlierRunStaysEndedDuringALaterOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		uses := map[string]func(context.Context){
			"Done": func(ctx context.Context) { ctx.Done() },
			"Err":  func(ctx context.Context) { _ = ctx.Err() },
		}
		for name, use := range uses {
			first := startSecondRun(t, use)
			assert.ErrorIs(t, first.Err(), context.Canceled, "used by %s", name)
		}
	})
}
