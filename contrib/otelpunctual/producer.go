package otelpunctual

import (
	"context"
	"math"
	"time"

	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/metrics"
)

// Producer gives a reader of the SDK the histograms of pools and loops, with
// sdkmetric.WithProducer. It implements the Producer of the SDK.
//
// They are exponential histograms of scale 1, with cumulative temporality whatever the reader
// prefers, and have exactly the buckets that the pool keeps; the first, of runs below 1.35 µs, is
// the zero bucket. A duration that is exactly a bound is in the bucket above it. The last bucket
// begins at 48 minutes and has everything longer. The start of each series is when the producer was
// made.
type Producer struct {
	set   *metrics.Set
	start time.Time
}

// NewProducer returns a producer for pools and loops, which need [executor.Watch]. It returns the
// error of [metrics.Of].
func NewProducer(sources ...metrics.Source) (*Producer, error) {
	set, err := metrics.Of(sources...)
	if err != nil {
		return nil, err
	}
	return &Producer{set, time.Now()}, nil
}

// Produce returns the histograms of the moment. It may be called from several goroutines at once.
func (p *Producer) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	now := time.Now()
	var all []metricdata.Metrics
	for _, f := range p.set.Read() {
		if f.Kind != metrics.Histogram || len(f.Points) == 0 {
			continue
		}
		points := make([]metricdata.ExponentialHistogramDataPoint[float64], len(f.Points))
		for i, point := range f.Points {
			points[i] = exponential(point.Histogram)
			points[i].Attributes = attributesOf(f.Metric, point)
			points[i].StartTime, points[i].Time = p.start, now
		}
		all = append(all, metricdata.Metrics{Name: f.Name, Description: f.Help, Unit: f.Unit,
			Data: metricdata.ExponentialHistogram[float64]{
				Temporality: metricdata.CumulativeTemporality, DataPoints: points}})
	}
	if all == nil {
		return nil, nil
	}
	return []metricdata.ScopeMetrics{{Scope: instrumentation.Scope{Name: scope}, Metrics: all}}, nil
}

// At scale 1 the bucket of index i is (√2^i, √2^(i+1)]; that of a pool at b begins at √2^(b-40) s.
const (
	scale  = 1
	offset = -40
)

// zeroThreshold is where the first bucket of a pool ends, which begins at 0.
var zeroThreshold = math.Exp2(-19.5)

// exponential returns a histogram without what identifies it, and without empty buckets at the
// ends.
func exponential(h *insight.Histogram) (d metricdata.ExponentialHistogramDataPoint[float64]) {
	d.Count, d.Sum, d.Scale = h.Count(), h.Sum.Seconds(), scale
	d.ZeroCount, d.ZeroThreshold = h.Counts[0], zeroThreshold
	first, last := 1, len(h.Counts)
	for first < last && h.Counts[first] == 0 {
		first++
	}
	for first < last && h.Counts[last-1] == 0 {
		last--
	}
	if first < last {
		d.PositiveBucket.Offset = int32(first + offset)
		d.PositiveBucket.Counts = append([]uint64(nil), h.Counts[first:last]...)
	}
	return d
}
