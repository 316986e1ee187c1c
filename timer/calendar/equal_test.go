package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

// again returns a zone that is loaded once more.
func again(t *testing.T, zone *time.Location) *time.Location {
	t.Helper()
	copied, err := time.LoadLocation(zone.String())
	if err != nil {
		t.Skip("no tables of zones: ", err)
	}
	return copied
}

func TestSchedulesThatMeanTheSameAreEqual(t *testing.T) {
	daily, other := calendar.Daily(calendar.At(3, 0)), calendar.Daily(calendar.At(4, 0))
	mine := function(func(after time.Time) time.Time { return after.Add(time.Hour) })
	yours := function(func(after time.Time) time.Time { return after.Add(time.Hour) })
	for _, pair := range [][2]calendar.Schedule{
		{{}, calendar.Union()},
		{daily.In(berlin), daily.In(again(t, berlin))},
		{calendar.From(daily, begin0), calendar.From(daily, begin0.In(newYork))},
		{calendar.Until(daily, begin0), calendar.Until(daily, begin0.In(newYork))},
		{calendar.Union(daily, other), calendar.Union(other, daily)},
		{calendar.Union(daily, mine, other), calendar.Union(other, yours, daily)},
		{calendar.Within(mine, night), calendar.Within(yours, night)},
		{calendar.Within(mine, night).In(berlin), calendar.Within(mine, night).In(again(t, berlin))},
		{calendar.Union(cron.MustParse("0 3 * * *")), calendar.Union(cron.MustParse("00 3 * * *"))},
		{calendar.Every(time.Hour, begin0), calendar.Every(time.Hour, begin0.In(newYork))},
	} {
		assert.True(t, pair[0].Equal(pair[1]), "%v, %v", pair[0], pair[1])
	}
}

func TestSchedulesThatDifferAreNotEqual(t *testing.T) {
	daily, other := calendar.Daily(calendar.At(3, 0)), calendar.Daily(calendar.At(4, 0))
	all := []calendar.Schedule{
		{}, daily, other, daily.In(berlin), daily.In(newYork), daily.Gaps(calendar.Skip),
		daily.Repeats(calendar.Last), calendar.From(daily, begin0), calendar.Until(daily, begin0),
		calendar.From(daily, begin0.Add(1)), calendar.Within(daily, night),
		calendar.Except(daily, night), calendar.Union(daily, other),
		calendar.Union(daily, other, daily), calendar.Union(daily, daily.In(berlin)),
		calendar.Every(time.Hour, begin0), calendar.Every(time.Hour, begin0.Add(1)),
		calendar.Within(cron.MustParse("@every 1h"), night),
	}
	for i, a := range all {
		for j, b := range all {
			assert.Equal(t, i == j, a.Equal(b), "%v, %v", a, b)
		}
	}
}
