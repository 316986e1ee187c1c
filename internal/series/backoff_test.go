package series

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestFailuresStretchThePeriodUpToTheMost(t *testing.T) {
	for _, row := range []struct {
		period   int64
		factor   float64
		most     int64
		failures uint64
		want     int64
	}{
		{10, 2, 1000, 0, 10},
		{10, 2, 1000, 3, 80},
		{10, 2, 1000, 7, 1000},
		{10, 2, 1000, math.MaxUint64, 1000},
		{10, 1.5, 1000, 1, 10}, // 15
		{10, 1.5, 1000, 2, 20}, // 22
		{10, 2, 45, 9, 40},
		{-10, 1.5, 1000, 1, 15},
		{-10, 2, 45, 9, 45},
		{10, 1, 1000, 9, 10},
		{10, 2, math.MaxInt64, 1 << 40, math.MaxInt64 / 10 * 10},
		{-10, math.MaxFloat64, math.MaxInt64, 1 << 40, math.MaxInt64},
		{math.MaxInt64, 2, math.MaxInt64, 1, math.MaxInt64},
		{1<<53 + 1, 2, math.MaxInt64, 1, 1<<54 + 2}, // no number of a float64
		{-(1<<53 + 1), 1, math.MaxInt64, 1, 1<<53 + 1},
		{math.MaxInt64 - 1, 1, math.MaxInt64, 1, math.MaxInt64 - 1},
		{-(math.MaxInt64 - 1), 1, math.MaxInt64, 1, math.MaxInt64 - 1},
	} {
		s := &Series{Grid: Grid{Options: Options{BackOff: BackOff{row.factor, time.Duration(row.most)}}, Period: row.period}}
		s.failures = row.failures
		assert.Equal(t, row.want, s.stretched(s.failures), "%+v", row)
	}
}

// FuzzBackOff stretches periods of any kind: never below the period, nor above the most, and that
// of a fixed rate to a whole number.
func FuzzBackOff(f *testing.F) {
	for _, period := range []int64{1, -1, 7, 1 << 53, 1<<53 + 1, -1 << 62, math.MaxInt64, -math.MaxInt64} {
		f.Add(period, 1.0, int64(0), uint64(1))
		f.Add(period, 2.5, int64(math.MaxInt64), uint64(40))
		f.Add(period, math.MaxFloat64, int64(math.MaxInt64), uint64(math.MaxUint64))
	}
	f.Fuzz(func(t *testing.T, period int64, factor float64, over int64, failures uint64) {
		every := max(period, -period)
		if every <= 0 || over < 0 || !(factor >= 1) || math.IsInf(factor, 0) {
			t.Skip("no submission lets that through")
		}
		most := max(every, min(over, math.MaxInt64-every)+every)
		s := &Series{Grid: Grid{Options: Options{BackOff: BackOff{factor, time.Duration(most)}}, Period: period}}
		s.failures = failures
		got := s.stretched(s.failures)
		require.GreaterOrEqual(t, got, every)
		require.LessOrEqual(t, got, most)
		if period > 0 {
			require.Zero(t, got%every)
		}
		s.failures++
		if failures < math.MaxUint64 {
			require.GreaterOrEqual(t, s.stretched(s.failures), got, "another failure")
		}
	})
}
