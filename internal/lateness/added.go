package lateness

import (
	"math"
	"time"
)

// Added returns the sum of two durations that are not negative, or the longest of all if that would
// be beyond it.
func Added(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
