package clock_test

import (
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/clock"
)

func TestTheClockIsExactInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := clock.New(1)
		assert.EqualValues(t, 1, c.Now())
		time.Sleep(100 * 365 * 24 * time.Hour)
		assert.EqualValues(t, 1+100*365*24*time.Hour, c.Now())
		assert.True(t, c.Time(c.Now()).Equal(time.Now()))
		at := time.Now().Add(time.Hour)
		assert.True(t, c.Time(c.At(at)).Equal(at))
		assert.Equal(t, c.Now(), c.At(time.Time{}), "a time gone by is now")
	})
}

func TestATimeSurvivesTheRealClock(t *testing.T) {
	c := clock.New(0)
	at := time.Now().Add(time.Hour)
	assert.True(t, c.Time(c.At(at)).Equal(at))
}

func TestLaterNeverWrapsAndNeverGoesBack(t *testing.T) {
	const longest, shortest = time.Duration(math.MaxInt64), time.Duration(math.MinInt64)
	for _, row := range []struct {
		t    int64
		d    time.Duration
		want int64
	}{
		{5, 7, 12}, {5, 0, 5}, {5, -1, 5}, {5, shortest, 5},
		{5, longest, clock.Never}, {5, longest - 5, clock.Never}, {5, longest - 6, clock.Never - 1},
		{clock.Never, 1, clock.Never}, {clock.Never, longest, clock.Never}, {clock.Never, -1, clock.Never},
	} {
		assert.Equal(t, row.want, clock.Later(row.t, row.d), "%d + %d", row.t, row.d)
	}
}
