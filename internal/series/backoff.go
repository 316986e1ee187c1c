package series

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// BackOff says how failures in a row stretch the period of a series. The zero BackOff does not.
type BackOff struct {
	Factor float64       // for each failure, at least 1; 0 means none
	Max    time.Duration // of the stretched period
}

// stretched returns the time to the next run: the period, or more of it after failures. That of a
// fixed rate is a whole number of periods, so that the grid stays.
func (s *Series) stretched() int64 {
	every := s.period()
	if s.BackOff.Factor == 0 || s.failures == 0 {
		return every
	}
	wait := scaled(every, s.BackOff.Factor, s.failures, int64(s.BackOff.Max))
	if s.Period < 0 {
		return wait
	}
	return max(wait/every, 1) * every
}

// scaled returns d times factor to the nth power, but no more than most. It does not overflow.
func scaled(d int64, factor float64, n uint64, most int64) int64 {
	product := float64(d) * math.Pow(factor, float64(n))
	if product >= float64(min(most, clock.Never)) {
		return max(most, d)
	}
	return int64(product)
}
