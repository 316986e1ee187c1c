package otelpunctual_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/punctual-go/punctual/contrib/otelpunctual"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// durations are some of all sizes, and some next to bounds: as near as a pool tells them apart,
// which is 10⁻¹⁰ of them.
func durations() (ds []time.Duration) {
	for d := time.Duration(1); d < 5*time.Hour; d = d*3/2 + 1 {
		ds = append(ds, d)
	}
	for e := -20; e <= 12; e++ {
		bound := time.Duration(math.Exp2(float64(e)) * 1e9)
		near := 2 + bound/1e10
		ds = append(ds, bound-near, bound+near)
	}
	return append(ds, 0)
}

// produced returns the histogram of the runs that last so long.
func produced(t *testing.T, ds ...time.Duration) metricdata.ExponentialHistogramDataPoint[float64] {
	t.Helper()
	p := newPool(t, 1, executor.Watch(insight.Config{}))
	producer, err := otelpunctual.NewProducer(p)
	require.NoError(t, err)
	begun := time.Now()
	for _, d := range ds {
		_, err := p.Submit(lasts(d))
		require.NoError(t, err)
	}
	time.Sleep(1000 * time.Hour)
	scopes, err := producer.Produce(context.Background())
	require.NoError(t, err)
	require.Len(t, scopes, 1)
	for _, m := range scopes[0].Metrics {
		if m.Name != "punctual.run.duration" {
			continue
		}
		points := m.Data.(metricdata.ExponentialHistogram[float64]).DataPoints
		require.Len(t, points, 1)
		assert.Equal(t, begun, points[0].StartTime)
		assert.Equal(t, time.Now(), points[0].Time)
		return points[0]
	}
	require.Fail(t, "no histogram")
	panic("unreachable")
}

func TestHistogramsAreExact(t *testing.T) {
	for _, d := range durations() {
		synctest.Test(t, func(t *testing.T) {
			h := produced(t, d)
			assert.EqualValues(t, 1, h.Scale)
			assert.EqualValues(t, 1, h.Count)
			assert.Equal(t, d.Seconds(), h.Sum)
			if d.Seconds() <= h.ZeroThreshold {
				assert.EqualValues(t, 1, h.ZeroCount)
				assert.Empty(t, h.PositiveBucket.Counts)
				return
			}
			assert.Zero(t, h.ZeroCount)
			require.Equal(t, []uint64{1}, h.PositiveBucket.Counts)
			i := float64(h.PositiveBucket.Offset) // the bucket (√2^i, √2^(i+1)]
			assert.Greater(t, d.Seconds(), math.Exp2(i/2))
			if d < 4096*time.Second { // the last one has all beyond
				assert.LessOrEqual(t, d.Seconds(), math.Exp2((i+1)/2))
			}
		})
	}
}

func TestEmptyBucketsBetweenOthersCount(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := produced(t, 0, 0, 1100*ms, 2200*ms, 2200*ms, 2200*ms)
		assert.EqualValues(t, 2, h.ZeroCount)
		assert.EqualValues(t, 0, h.PositiveBucket.Offset)
		assert.Equal(t, []uint64{1, 0, 3}, h.PositiveBucket.Counts)
		assert.EqualValues(t, 6, h.Count)
	})
}

func TestNothingMeasuredIsNothingProduced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		producer, err := otelpunctual.NewProducer(newPool(t, 1))
		require.NoError(t, err)
		scopes, err := producer.Produce(context.Background())
		require.NoError(t, err)
		assert.Empty(t, scopes)
	})
	synctest.Test(t, func(t *testing.T) {
		h := produced(t)
		assert.Zero(t, h.Count, "but a series begins with nothing")
		assert.Empty(t, h.PositiveBucket.Counts)
	})
}
