package insight

import (
	"math"
	"math/bits"
	"time"

	"github.com/punctual-go/punctual/internal/lateness"
)

// Buckets is how many buckets a [Histogram] has.
const Buckets = 64

// Histogram counts durations in buckets. Their upper bounds, see [Histogram.Bound], are the powers
// of √2 of a second from about a microsecond to about an hour, so a quantile is too large by a
// factor of √2 at most. These bounds are those of scale 1 of an exponential histogram of
// OpenTelemetry, and of schema 1 of a native histogram of Prometheus. The zero Histogram is empty.
type Histogram struct {
	Counts [Buckets]uint64 // the first bucket has everything shorter, the last everything longer
	Sum    time.Duration   // at most 292 years, where it stays
	Max    time.Duration
}

// Record counts a duration. One below zero counts as zero. It takes some nanoseconds, and is not
// safe for concurrent use.
func (h *Histogram) Record(d time.Duration) {
	d = max(d, 0)
	h.Counts[bucketOf(d)]++
	h.Sum = lateness.Added(h.Sum, d)
	h.Max = max(h.Max, d)
}

// Count returns how many durations have been counted.
func (h *Histogram) Count() (n uint64) {
	for _, c := range h.Counts {
		n += c
	}
	return n
}

// Bound returns the upper bound of a bucket, which is itself in the next one.
func (h *Histogram) Bound(bucket int) time.Duration {
	return time.Duration(math.Round(math.Exp2(float64(bucket-39)/2) * 1e9))
}

// Quantile returns a duration than which the part q of all durations is not longer: 0.99 asks for
// the 99th percentile, 1 for the longest. Below 0, q counts as 0, as does NaN, and above 1 as 1.
// Quantile returns 0 if there are none.
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
			return min(h.Bound(i), h.Max)
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

// Distribution sums up a histogram. In JSON, durations are text, such as "1.5ms". Where the sum of
// the durations is more than 292 years, Mean is too short.
type Distribution struct {
	Count uint64
	Mean  time.Duration
	P50   time.Duration
	P90   time.Duration
	P99   time.Duration
	Max   time.Duration
}

// Distribution sums up the histogram.
func (h *Histogram) Distribution() *Distribution {
	d := &Distribution{Count: h.Count(), P50: h.Quantile(0.5), P90: h.Quantile(0.9),
		P99: h.Quantile(0.99), Max: h.Max}
	if d.Count > 0 {
		d.Mean = h.Sum / time.Duration(d.Count)
	}
	return d
}
