package lateness

import (
	"math"
	"math/bits"
	"time"
)

// Buckets is how many buckets a [Histogram] has.
const Buckets = 64

// Histogram counts durations in buckets whose bounds are the powers of √2 of a second, from 2⁻²⁰ s,
// about a microsecond, to 2¹² s, about an hour. So a quantile is off by a fifth at most. The same
// bounds are those of scale 1 of an exponential histogram of OpenTelemetry, and of schema 1 of a
// native one of Prometheus. A record takes some nanoseconds and no allocation.
type Histogram struct {
	Counts [Buckets]uint64 // by bucket, see [Bound]
	Sum    time.Duration   // stays at the longest duration there is once it has got there
	Max    time.Duration
}

// Record counts a duration. One below zero counts as zero.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.Counts[bucketOf(d)]++
	h.Sum = Added(h.Sum, d)
	h.Max = max(h.Max, d)
}

// Added returns the sum of two durations that are not negative, or the longest of all if that would
// be beyond it.
func Added(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Count returns how many durations have been recorded.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Bound returns the upper bound of a bucket, which does not belong to it. The first bucket also
// has everything shorter, the last everything longer.
func Bound(bucket int) time.Duration {
	return time.Duration(math.Round(math.Exp2(float64(bucket-39)/2) * 1e9))
}

// Quantile returns a duration than which a part q of all recorded ones is not longer: the bound of
// a bucket, or the longest if that is shorter. It returns 0 if there are none. Below 0 q counts as
// 0, as does NaN, and above 1 as 1.
func (h *Histogram) Quantile(q float64) time.Duration {
	n := h.Count()
	if n == 0 {
		return 0
	}
	rank := uint64(1)
	if q > 0 { // NaN is not
		rank = max(uint64(math.Ceil(min(q, 1)*float64(n))), 1)
	}
	var seen uint64
	for i, c := range h.Counts {
		if seen += c; seen >= rank {
			return min(Bound(i), h.Max)
		}
	}
	return h.Max
}

// bucketOf returns the bucket of a duration: 2·log₂ of it in seconds, rounded down, by the position
// of the highest bit of its square. A comparison with 64 bounds would take longer.
func bucketOf(d time.Duration) int {
	const perNanosecond = 18446744074 // of a second, in units of 2⁻⁶⁴
	const least = 954                 // nanoseconds; the first bucket begins at 2⁻²⁰ s
	hi, lo := bits.Mul64(uint64(max(d, least)), perNanosecond)
	seconds := hi<<32 | lo>>32 // 32 bits behind the point
	hi, lo = bits.Mul64(seconds, seconds)
	log := bits.Len64(lo) - 1
	if hi != 0 {
		log = bits.Len64(hi) + 63
	}
	return min(log-64+40, Buckets-1)
}
