package series

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/clock"
)

// almostOne is the greatest random number that there is.
var almostOne = math.Nextafter(1, 0)

// waits returns the first waits in milliseconds, rounded, with the same random number each time.
func waits(r Retry, random float64) (ms []int64) {
	last := time.Duration(0)
	for n := uint64(1); n <= 5; n++ {
		last = r.Wait(n, last, random)
		ms = append(ms, last.Round(time.Millisecond/2).Milliseconds())
	}
	return ms
}

func TestTheWaitsOfABackoffAreThoseOfTheTable(t *testing.T) {
	full := []int64{100, 200, 400, 800, 1000}
	half := []int64{50, 100, 200, 400, 500}
	for spread, want := range map[Spread][3][]int64{ // for 0, one half, and close to 1
		NoSpread:           {full, full, full},
		FullSpread:         {{0, 0, 0, 0, 0}, half, full},
		EqualSpread:        {half, {75, 150, 300, 600, 750}, full},
		DecorrelatedSpread: {{100, 100, 100, 100, 100}, {200, 350, 575, 912, 1000}, {300, 900, 1000, 1000, 1000}},
	} {
		r := Retry{Base: 100 * time.Millisecond, Factor: 2, Max: time.Second, Spread: spread}
		for i, random := range []float64{0, 0.5, almostOne} {
			assert.Equal(t, want[i], waits(r, random), "spread %d, random number %v", spread, random)
		}
	}
}

func TestAWaitThatGrowsWithoutLimitEndsAtTheEndOfTheClock(t *testing.T) {
	for spread := FullSpread; spread <= NoSpread; spread++ {
		r := Retry{Base: time.Hour, Factor: 10, Spread: spread}
		last := time.Duration(0)
		for n := uint64(1); n <= 1000; n++ {
			last = r.Wait(n, last, almostOne)
			require.GreaterOrEqual(t, last, r.Base/2, "attempt %d", n)
		}
		assert.Greater(t, last, time.Duration(math.MaxInt64-1<<20), "spread %d", spread)
	}
}

func TestAWaitWithoutABaseIsNoneHoweverManyCameBefore(t *testing.T) {
	for spread := FullSpread; spread <= NoSpread; spread++ {
		for _, factor := range []float64{1, 2, math.MaxFloat64} {
			for _, n := range []uint64{1, 2, 3, 1025, 1 << 40, math.MaxUint64} {
				r := Retry{Factor: factor, Spread: spread}
				assert.Zero(t, r.Wait(n, 0, 0.5), "spread %d, factor %v, wait %d", spread, factor, n)
			}
		}
	}
}

func TestAnAttemptThatWouldNeverComeIsNotMade(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{Retry: Retry{Attempts: 1 << 60, Base: math.MaxInt64, Factor: 1, Spread: NoSpread}}}}
	s.BeginAttempt(5)
	_, ok := s.RetryAt(5, -1)
	assert.False(t, ok)
	_, ok = s.RetryAt(clock.Never, 1)
	assert.False(t, ok)
	at, ok := s.RetryAt(clock.Never, 0)
	assert.True(t, ok)
	assert.Equal(t, clock.Never, at)
}

func TestNoAttemptBeginsWhenItsTimeIsOver(t *testing.T) {
	for within, ok := range map[time.Duration]bool{0: true, 19: false, 20: false, 21: true, math.MaxInt64: true} {
		s := &Series{Grid: Grid{Options: Options{Retry: Retry{Attempts: 9, Within: within}}}}
		s.BeginAttempt(100)
		_, may := s.RetryAt(110, 10)
		assert.Equal(t, ok, may, "within %d", within)
	}
}

func TestAttemptsAreCountedByRun(t *testing.T) {
	s := &Series{Grid: Grid{Options: Options{Retry: Retry{Attempts: 2}}, Period: 10}}
	for range 3 {
		_, later := s.BeginAttempt(5)
		assert.False(t, later)
		assert.EqualValues(t, 1, s.Attempt())
		assert.True(t, s.MayRetry())
		s.AwaitRetry(0, 3)
		assert.True(t, s.Retrying())
		assert.EqualValues(t, 1, s.Due(), "0 would be none")
		counts, later := s.BeginAttempt(7)
		assert.True(t, later)
		assert.EqualValues(t, 3, counts)
		assert.False(t, s.MayRetry() || s.Retrying())
	}
}

// FuzzRetry asks for the waits of back-offs of any kind: none is negative, or longer than it may
// be, and no attempt is planned for a time before the failure, or when it is too late.
func FuzzRetry(f *testing.F) {
	for _, base := range []int64{0, 1, int64(time.Hour), math.MaxInt64} {
		for spread := range byte(4) {
			f.Add(base, 2.0, int64(0), int64(0), spread, uint64(100), int64(5), int64(7))
			f.Add(base, math.MaxFloat64, base, base, spread, uint64(math.MaxUint64), int64(0), clock.Never)
			f.Add(base, 1.0, int64(1), int64(1), spread, uint64(1), clock.Never, clock.Never)
		}
	}
	f.Add(int64(math.MaxInt64), 3e307, int64(math.MaxInt64-36), int64(0), byte(3), uint64(math.MaxUint64), int64(0), clock.Never)
	f.Fuzz(func(t *testing.T, base int64, factor float64, most, within int64, spread byte, n uint64, first, failed int64) {
		if base < 0 || most < 0 || within < 0 || !(factor >= 1) || math.IsInf(factor, 0) {
			t.Skip("no option lets that through")
		}
		if first < 0 || failed < first {
			t.Skip("no clock shows that")
		}
		r := Retry{Attempts: math.MaxUint64, Base: time.Duration(base), Factor: factor, Max: time.Duration(most),
			Spread: Spread(spread % 4), Within: time.Duration(within)}
		s := &Series{Grid: Grid{Options: Options{Retry: r}}}
		s.BeginAttempt(first)
		s.attempt = max(n, 1)
		for range 4 {
			at, ok := s.RetryAt(failed, -1)
			require.GreaterOrEqual(t, s.pause, time.Duration(0))
			if most > 0 {
				require.LessOrEqual(t, s.pause, time.Duration(most))
			}
			if !ok {
				require.True(t, within > 0 || s.pause > time.Duration(clock.Never-failed))
				continue
			}
			require.Equal(t, failed+int64(s.pause), at)
			require.True(t, within == 0 || at-first < within)
		}
		for _, random := range []float64{0, almostOne} {
			s.pause = r.Wait(s.attempt, s.pause, random)
			require.GreaterOrEqual(t, s.pause, time.Duration(0))
		}
	})
}
