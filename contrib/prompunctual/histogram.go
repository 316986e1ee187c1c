package prompunctual

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"

	"github.com/punctual-go/punctual/executor/insight"
)

// The bucket b of a pool begins at √2^(b-40) seconds, and ends before √2^(b-39).
const (
	// schema is that of native histograms whose buckets are a factor of √2 apart. Their index i is
	// that of the upper bound √2^i.
	schema   = 1
	toNative = -39

	// The classic bounds are 2⁻¹⁶ s, 2⁻¹⁴ s and so on to 2¹⁰ s: every fourth of those of the pool.
	firstBound, lastBound, boundStep = 7, 59, 4
)

// zeroThreshold is the end of a pool's first bucket, which begins at 0: the zero bucket of a native
// histogram.
var zeroThreshold = math.Exp2(-19.5)

func (c *Collector) histogram(
	desc *prometheus.Desc, h *insight.Histogram, labels []string,
) (prometheus.Metric, error) {
	if c.natives {
		return native(desc, h, labels)
	}
	return classic(desc, h, labels)
}

// classic returns a histogram with 14 bounds, each of which is one of the pool's.
func classic(
	desc *prometheus.Desc, h *insight.Histogram, labels []string,
) (prometheus.Metric, error) {
	buckets := make(map[float64]uint64, (lastBound-firstBound)/boundStep+1)
	var below uint64
	for b, n := range h.Counts {
		below += n
		if b >= firstBound && b <= lastBound && (b-firstBound)%boundStep == 0 {
			buckets[math.Exp2(float64(b-39)/2)] = below
		}
	}
	return prometheus.NewConstHistogram(desc, below, h.Sum.Seconds(), buckets, labels...)
}

// native returns a native histogram with the buckets of the pool as they are.
func native(
	desc *prometheus.Desc, h *insight.Histogram, labels []string,
) (prometheus.Metric, error) {
	positive := map[int]int64{}
	for b, n := range h.Counts[1:] {
		if n > 0 {
			positive[b+1+toNative] = int64(n)
		}
	}
	m, err := prometheus.NewConstNativeHistogram(desc, h.Count(), h.Sum.Seconds(), positive, nil,
		h.Counts[0], schema, zeroThreshold, time.Time{}, labels...)
	return ageless{m}, err
}

// ageless is a histogram that does not say since when it has counted, which is not known. Otherwise
// it would say since the year 1.
type ageless struct{ prometheus.Metric }

func (a ageless) Write(to *dto.Metric) error {
	if err := a.Metric.Write(to); err != nil {
		return err
	}
	to.Histogram.CreatedTimestamp = nil
	return nil
}
