package insight

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestABucketHasWhatIsBelowItsBound(t *testing.T) {
	for i := range Buckets - 1 {
		bound := new(Histogram).Bound(i)
		off := 2 + bound/1e9
		assert.LessOrEqual(t, bucketOf(bound-off), i, bound)
		assert.Equal(t, i+1, bucketOf(bound+off), bound)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := time.Duration(rapid.Int64Range(1_000, int64(time.Hour)).Draw(t, "d"))
		log := int(math.Floor(2 * math.Log2(d.Seconds())))
		near := math.Abs(2*math.Log2(d.Seconds())-math.Round(2*math.Log2(d.Seconds()))) < 1e-6
		if got := bucketOf(d); got != log+40 && !near {
			t.Fatalf("%v is in bucket %d, not %d", d, got, log+40)
		}
	})
	assert.Zero(t, bucketOf(0))
	assert.Equal(t, Buckets-1, bucketOf(math.MaxInt64))
}

func TestAQuantileIsOffByAFifth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var h Histogram
		ds := rapid.SliceOfN(rapid.Int64Range(1_000, int64(time.Hour)), 1, 200).Draw(t, "durations")
		for _, d := range ds {
			h.Record(time.Duration(d))
		}
		slices.Sort(ds)
		q := rapid.Float64Range(0, 1).Draw(t, "q")
		exact := float64(ds[max(int(math.Ceil(q*float64(len(ds)))), 1)-1])
		got := float64(h.Quantile(q))
		if got < exact*(1-1e-6) || got > exact*math.Sqrt2*(1+1e-6) {
			t.Fatalf("%v, not %v", got, exact)
		}
		if h.Quantile(1) != time.Duration(ds[len(ds)-1]) || h.Count() != uint64(len(ds)) {
			t.Fatalf("the longest is %v of %d", h.Quantile(1), h.Count())
		}
	})
	assert.Zero(t, new(Histogram).Quantile(0.5))
}

func TestASumStaysAtTheLongestDuration(t *testing.T) {
	var h Histogram
	for range 3 {
		h.Record(math.MaxInt64 / 2)
	}
	assert.EqualValues(t, int64(math.MaxInt64), h.Sum)
	h.Record(time.Second)
	assert.EqualValues(t, int64(math.MaxInt64), h.Sum)
}

func TestAQuantileOfWhatIsNoPartIsThatOfTheNearest(t *testing.T) {
	var h Histogram
	h.Record(time.Millisecond)
	h.Record(time.Second)
	least, longest := h.Quantile(0), h.Quantile(1)
	assert.Less(t, least, longest)
	for _, q := range []float64{-1, math.Inf(-1), math.NaN()} {
		assert.Equal(t, least, h.Quantile(q), "%v", q)
	}
	for _, q := range []float64{1.5, 1e300, math.Inf(1)} {
		assert.Equal(t, longest, h.Quantile(q), "%v", q)
	}
}
