package supervisor

import (
	"math"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// backoff is the delay between cycles: the interval, or more while things go wrong. The lock of the
// supervisor guards delay; the rest does not change.
type backoff struct {
	delay time.Duration // at present, without jitter

	interval, ceiling time.Duration
	factor            float64
	jitter            time.Duration
}

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

func (b *backoff) grow() {
	if grown := math.Round(float64(b.delay) * b.factor); grown < float64(b.ceiling) {
		b.delay = time.Duration(grown)
		return
	}
	b.delay = b.ceiling
}

// disturbed adds the jitter to a delay.
func (b *backoff) disturbed(d time.Duration) time.Duration {
	if b.jitter == 0 {
		return d
	}
	return plus(d, rand.N(b.jitter))
}

// worst returns the longest delay there may be.
func (b *backoff) worst() time.Duration { return plus(b.ceiling, b.jitter) }

// plus returns d+e for an e that is not negative, and the longest duration instead of a longer one.
func plus(d, e time.Duration) time.Duration { return time.Duration(clock.Later(int64(d), e)) }

// times returns d*n for positive operands, and the longest duration instead of a longer one.
func times(d time.Duration, n int) time.Duration {
	if int64(n) > math.MaxInt64/int64(d) {
		return math.MaxInt64
	}
	return d * time.Duration(n)
}
