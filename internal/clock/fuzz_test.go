package clock_test

import (
	"math"
	"math/big"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/clock"
)

// FuzzClock adds to times as numbers without end do, up to the end of the clock, and turns times of
// the rest of the world into its own.
func FuzzClock(f *testing.F) {
	ends := []int64{math.MinInt64, math.MinInt64 + 1, -1, 0, 1, 1 << 31, 1 << 32, math.MaxInt64 - 1, math.MaxInt64}
	for _, d := range ends {
		for _, t := range []int64{0, 1, 1 << 62, math.MaxInt64 - 1, math.MaxInt64} {
			f.Add(t, d, d, int32(0), int64(1))
		}
		f.Add(int64(5), int64(7), d, int32(-1), int64(0))
		f.Add(int64(5), int64(7), d/int64(time.Second), int32(math.MaxInt32), int64(1<<40))
	}
	f.Fuzz(func(t *testing.T, from, d, seconds int64, nanoseconds int32, shows int64) {
		if from < 0 {
			t.Skip("no clock shows that")
		}
		later := clock.Later(from, time.Duration(d))
		require.Equal(t, sum(from, d), later)
		require.GreaterOrEqual(t, later, from)
		synctest.Test(t, func(t *testing.T) {
			requireSameTime(t, min(max(shows, 0), 1<<61), time.Unix(seconds, int64(nanoseconds)))
		})
	})
}

// sum is from+d in whole numbers, with none for a negative d, and an end.
func sum(from, d int64) int64 {
	s := new(big.Int).Add(big.NewInt(from), big.NewInt(max(d, 0)))
	if s.Cmp(big.NewInt(clock.Never)) > 0 {
		return clock.Never
	}
	return s.Int64()
}

// requireSameTime demands that a time is the same on the clock, unless it has gone by, which is
// now, or is beyond what the clock can show.
func requireSameTime(t *testing.T, shows int64, at time.Time) {
	c := clock.New(shows)
	now := time.Now()
	require.Equal(t, shows, c.Now())
	got := c.At(at)
	switch {
	case !at.After(now):
		require.Equal(t, shows, got)
	case at.After(now.Add(math.MaxInt64)), int64(at.Sub(now)) > clock.Never-shows:
		require.Equal(t, clock.Never, got)
	default:
		require.True(t, c.Time(got).Equal(at), "%v is %v on the clock", at, c.Time(got))
	}
}
