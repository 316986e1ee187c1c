package civil_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/civil"
)

func TestDatesAreThoseOfPackageTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 30_000 {
		d := civil.Day(n - 1000) // all days of eighty years, and others
		if n%3 == 0 {
			d = civil.Day(random.IntN(1_000_000_000) - 500_000_000)
		}
		want := time.Unix(int64(d)*86400, 0).UTC()
		date := d.Date()
		require.Equal(t, civil.Date{Year: want.Year(), Month: int(want.Month()), Day: want.Day()}, date)
		require.Equal(t, d, date.Days())
		require.Equal(t, int(want.Weekday()), d.Weekday())
		last := time.Date(want.Year(), want.Month()+1, 0, 0, 0, 0, 0, time.UTC)
		require.Equal(t, last.Day(), civil.MonthLength(date.Year, date.Month))
	}
}

func TestDaysCountOnFromTheEndOfAMonth(t *testing.T) {
	for d := -40; d < 80; d++ {
		want := time.Date(2024, 2, d, 0, 0, 0, 0, time.UTC).Unix() / 86400
		assert.Equal(t, civil.Day(want), civil.Date{Year: 2024, Month: 2, Day: d}.Days())
	}
}

func TestATimeIsADayAndASecond(t *testing.T) {
	for _, x := range []civil.Time{0, 1, -1, 86399, 86400, -86400, -86401, 1 << 50, -1 << 50} {
		d, second := x.Split()
		assert.Equal(t, x, d.At(second))
		assert.True(t, 0 <= second && second < 86400, "%d", x)
	}
}
