package supervisor

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// backoff is the delay between cycles: the interval, or more while things go wrong. The
// supervisor's lock guards delay; the rest does not change.
type backoff struct {
	delay time.Duration // at present, without jitter

	interval, ceiling time.Duration
	factor            float64
	jitter            time.Duration
}

// newBackoff fixes the limit of the delay: as MaxInterval states it, or else the bound times the
// timeout; never below the interval. With a factor of 1 the delay stays at the interval.
func newBackoff(s *settings) backoff {
	ceiling := s.ceiling
	switch {
	case s.factor == 1:
		ceiling = s.interval
	case ceiling == 0:
		ceiling = max(s.interval, times(s.timeout, s.bound))
	}
	return backoff{s.interval, s.interval, ceiling, s.factor, s.jitter}
}

func (b *backoff) reset() { b.delay = b.interval }

// grow multiplies the delay by the factor, up to the limit. The comparison is made in floating
// point, as the product may be too large for a duration.
func (b *backoff) grow() {
	if grown := math.Round(float64(b.delay) * b.factor); grown < float64(b.ceiling) {
		b.delay = time.Duration(grown)
		return
	}
	b.delay = b.ceiling
}

// disturbed returns d plus a random jitter.
func (b *backoff) disturbed(d time.Duration) time.Duration {
	if b.jitter == 0 {
		return d
	}
	return plus(d, rand.N(b.jitter))
}

// worst returns the longest delay possible.
func (b *backoff) worst() time.Duration { return plus(b.ceiling, b.jitter) }

// plus returns d+e for an e that is not negative, or the longest duration if the sum is longer.
func plus(d, e time.Duration) time.Duration { return time.Duration(clock.Later(int64(d), e)) }

// times returns d*n for positive operands, or the longest duration if the product is longer.
func times(d time.Duration, n int) time.Duration {
	if int64(n) > math.MaxInt64/int64(d) {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}
