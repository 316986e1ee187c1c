package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestAScheduleIsLikeAnIntervalIfAllItsPartsAre(t *testing.T) {
	midnight := calendar.Daily(calendar.At(0, 0))
	each := calendar.Every(time.Hour, time.Time{})
	line := cron.MustParse("*/15 * * * *")
	now := time.Now()
	for _, s := range []calendar.Schedule{
		each, each.In(time.UTC), calendar.Until(each, now), calendar.From(each, now), calendar.Union(each, line),
		calendar.Within(line, calendar.OnWeekdays(time.Monday)),
		calendar.Except(cron.MustParse("@every 5m"), calendar.OnWeekdays(time.Monday)),
	} {
		assert.True(t, s.Interval(), s)
	}
	for _, s := range []calendar.Schedule{
		{}, midnight, calendar.Union(each, midnight), calendar.From(midnight, now),
		calendar.Within(cron.MustParse("0 3 * * *"), calendar.OnWeekdays(time.Monday)),
	} {
		assert.False(t, s.Interval(), s)
	}
}
