package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
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
		_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.CatchUp(executor.Shift+1))
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
