package lateness

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

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
