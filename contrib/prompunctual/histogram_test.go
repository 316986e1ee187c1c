package prompunctual_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/contrib/prompunctual"
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

// gathered returns the histogram of the runs that last so long, each a task's only one.
func gathered(t *testing.T, opts prompunctual.Options, ds ...time.Duration) *dto.Histogram {
	t.Helper()
	p := newPool(t, executor.Watch(insight.Config{}))
	for _, d := range ds {
		_, err := p.Submit(lasts(d))
		require.NoError(t, err)
	}
	time.Sleep(100 * time.Hour)
	all, err := registryOf(t, opts, p).Gather()
	require.NoError(t, err)
	for _, f := range all {
		if f.GetName() == "punctual_run_duration_seconds" {
			require.Len(t, f.Metric, 1)
			return f.Metric[0].Histogram
		}
	}
	require.Fail(t, "no histogram")
	return nil
}

func TestClassicHistogramsAreExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := gathered(t, prompunctual.Options{}, durations()...)
		var bounds []float64
		for _, b := range h.Bucket {
			bounds = append(bounds, b.GetUpperBound())
			var below uint64
			for _, d := range durations() {
				if d.Seconds() < b.GetUpperBound() {
					below++
				}
			}
			assert.Equal(t, below, b.GetCumulativeCount(), "up to %v", b.GetUpperBound())
		}
		assert.Equal(t, []float64{0x1p-16, 0x1p-14, 0x1p-12, 0x1p-10, 0x1p-8, 0x1p-6, 0x1p-4, 0x1p-2,
			1, 4, 16, 64, 256, 1024}, bounds)
		assert.EqualValues(t, len(durations()), h.GetSampleCount())
		var sum time.Duration
		for _, d := range durations() {
			sum += d
		}
		assert.Equal(t, sum.Seconds(), h.GetSampleSum())
	})
}

func TestNativeHistogramsAreExact(t *testing.T) {
	for _, d := range durations() {
		synctest.Test(t, func(t *testing.T) {
			h := gathered(t, prompunctual.Options{NativeHistograms: true}, d)
			assert.EqualValues(t, 1, h.GetSampleCount())
			assert.EqualValues(t, 1, h.GetSchema())
			assert.Empty(t, h.Bucket)
			assert.Nil(t, h.CreatedTimestamp)
			if d.Seconds() <= h.GetZeroThreshold() {
				assert.EqualValues(t, 1, h.GetZeroCount())
				assert.Empty(t, h.PositiveSpan)
				return
			}
			require.Len(t, h.PositiveSpan, 1)
			assert.Equal(t, []int64{1}, h.PositiveDelta)
			i := float64(h.PositiveSpan[0].GetOffset()) // the bucket (√2^(i-1), √2^i]
			assert.Greater(t, d.Seconds(), math.Exp2((i-1)/2))
			if d < 4096*time.Second { // the last one has all beyond
				assert.LessOrEqual(t, d.Seconds(), math.Exp2(i/2))
			}
		})
	}
}

func TestAHistogramWithoutRunsIsThere(t *testing.T) {
	for _, native := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			h := gathered(t, prompunctual.Options{NativeHistograms: native})
			assert.Zero(t, h.GetSampleCount())
		})
	}
}
