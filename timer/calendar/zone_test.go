package calendar_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer/calendar"
	"github.com/punctual-go/punctual/timer/cron"
)

func TestAScheduleTellsTheZoneOfItsParts(t *testing.T) {
	noon := calendar.Daily(calendar.At(12, 0))
	line := cron.MustParse("0 3 * * *", cron.Zone(berlin))
	for _, c := range []struct {
		want *time.Location
		s    calendar.Schedule
	}{
		{nil, calendar.Schedule{}},
		{nil, noon},
		{berlin, noon.In(berlin)},
		{berlin, noon.In(berlin).In(newYork)},
		{berlin, calendar.Within(line, night)},
		{berlin, calendar.Union(noon, line)},
		{berlin, calendar.Union(noon.In(berlin), line)},
		{nil, calendar.Union(noon.In(newYork), line)},
		{berlin, calendar.Until(calendar.From(line, begin0), begin0.AddDate(1, 0, 0))},
		{nil, calendar.Every(time.Hour, begin0.In(berlin))},
		{newYork, calendar.Every(time.Hour, begin0).In(newYork)},
		{newYork, calendar.Union(placed{line, newYork})},
		{berlin, calendar.Union(placed{line, nil}).In(berlin)},
	} {
		assert.Equal(t, c.want, c.s.Zone(), "%v", c.s)
	}
}

// placed is a calendar of the user's own that tells a zone.
type placed struct {
	calendar.Calendar
	zone *time.Location
}

func (p placed) Zone() *time.Location { return p.zone }
