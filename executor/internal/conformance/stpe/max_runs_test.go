package stpe_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

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
			executor.MaxRuns(3), executor.FailurePolicy(executor.StopSeries))
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
