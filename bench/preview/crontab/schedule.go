package crontab

import (
	"strings"
	"time"

	"github.com/punctual-go/punctual/timer/cron"
)

// schedule is the schedule of a job, with what a picture of it tells.
type schedule struct {
	cron.Schedule
	line string
	zone *time.Location
}

// newSchedule parses a schedule that may have its zone in front.
func newSchedule(when string, zone *time.Location) (schedule, error) {
	c, err := cron.Parse(when, cron.Zone(zone))
	if err != nil {
		return schedule{}, err
	}
	words := strings.Fields(when)
	s := schedule{Schedule: c, line: strings.Join(words, " "), zone: zone}
	if _, name, found := strings.Cut(words[0], "="); found {
		s.zone, err = time.LoadLocation(name)
	}
	return s, err
}

// Meant returns the time of day, as "02:30", for which a slot stands that is not at its own time:
// the clocks leave that out. For all other slots it returns "".
func (s schedule) Meant(slot time.Time) string {
	local := slot.In(s.zone)
	begins, _ := local.ZoneBounds()
	if begins.IsZero() || !begins.Equal(slot) || s.Interval() {
		return ""
	}
	_, after := local.Zone()
	name, before := begins.Add(-1).In(s.zone).Zone()
	fields := strings.Fields(s.line)
	if strings.Contains(fields[0], "=") {
		fields = fields[1:]
	}
	if after <= before {
		return ""
	}
	// The same line in a zone that never changes.
	old, err := cron.Parse(strings.Join(fields, " "), cron.Zone(time.FixedZone(name, before)))
	if err != nil {
		return ""
	}
	meant := old.Next(slot.Add(-1)).In(time.FixedZone(name, before))
	if gap := time.Duration(after-before) * time.Second; meant.Sub(slot) >= gap {
		return ""
	}
	return meant.Format("15:04")
}
