package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// A run may come late in the window of its period, and end in the next one: that is no stall.
func TestJitter_WithoutAStallNothingIsMissedHoweverWideItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = 10 * time.Second
		for _, policy := range []executor.CatchUpPolicy{executor.Skip, executor.Coalesce} {
			p := startPool(t, 1)
			d := startDiary()
			f, err := p.AtFixedRate(0, period, d.lasting("a", period/4),
				executor.Jitter(period), executor.CatchUp(policy), executor.MaxRuns(1000))
			require.NoError(t, err)
			_, err = f.Get(t.Context())
			require.NoError(t, err)
			missed := uint64(0)
			for i, run := range d.theRuns() {
				missed += run.Missed
				require.Equal(t, time.Duration(i), run.Scheduled/period, "policy %d, run %d has another slot", policy, i+1)
			}
			assert.Zero(t, missed, "policy %d", policy)
			require.Len(t, d.theRuns(), 1000)
		}
	})
}

func TestJitter_SkipPlansNoRunForATimeThatHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period = 10 * time.Second
		p := startPool(t, 1)
		d := startDiary()
		f, err := p.AtFixedRate(0, period, d.lasting("a", period/2),
			executor.Jitter(period), executor.CatchUp(executor.Skip), executor.MaxRuns(300))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		for i, run := range d.theRuns() {
			require.Equal(t, run.Scheduled, run.Started, "run %d", i+1)
		}
	})
}

func TestJitter_SkipDropsAPeriodWhoseWindowHasPassed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const period, jitter = 10 * time.Second, 3 * time.Second
		p := startPool(t, 1)
		d := startDiary()
		until33 := func(ctx context.Context) error {
			if run, _ := executor.RunFrom(ctx); run.Number == 1 {
				time.Sleep(33*time.Second - time.Since(d.began)) // the window of 30 ends now
			}
			return d.task("a")(ctx)
		}
		_, err := p.AtFixedRate(0, period, until33,
			executor.Jitter(jitter), executor.CatchUp(executor.Skip), executor.MaxRuns(2))
		require.NoError(t, err)
		time.Sleep(50 * time.Second)
		runs := d.theRuns()
		require.Len(t, runs, 2)
		assert.EqualValues(t, 3, runs[1].Missed, "of 10, 20 and 30")
		assert.Equal(t, 4*period, runs[1].Started.Truncate(period))
	})
}
