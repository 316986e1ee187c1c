package civil

import "time"

// period is a span of time during which the offset of a zone does not change. All are seconds.
type period struct{ start, end, offset int64 }

// Zones have periods without a beginning or an end. These are far enough from all times, and from
// the limits of numbers.
const (
	always  int64 = -1 << 62
	forEver int64 = 1 << 62
)

// periodAt returns the period of the zone around an instant, or a part of it: package time ends the
// periods of rules with the year.
func periodAt(zone *time.Location, x int64) period {
	if zone == time.UTC {
		return period{always, forEver, 0}
	}
	t := time.Unix(x, 0).In(zone)
	_, offset := t.Zone()
	p := period{always, forEver, int64(offset)}
	start, end := t.ZoneBounds()
	if !start.IsZero() {
		p.start = start.Unix()
	}
	if !end.IsZero() {
		p.end = end.Unix()
	}
	if p.end <= x {
		// Package time ends all years after 365 days. The rest of a leap year is a period here.
		today, _ := Time(x).Split()
		p.start, p.end = max(p.start, today.instant()), (today + 1).instant()
	}
	return p
}

func (d Day) instant() int64 { return int64(d) * secondsPerDay }

// show returns the time that is shown at an instant of the period.
func (p period) show(x int64) Time { return Time(x + p.offset) }

// instant returns when the time is shown, if it is in the period.
func (p period) instant(t Time) int64 { return int64(t) - p.offset }

// shows reports whether the time is shown in the period.
func (p period) shows(t Time) bool {
	x := p.instant(t)
	return p.start <= x && x < p.end
}
