package draw

import (
	"fmt"
	"time"
)

// tick is an instant with a name: the beginning of an hour or of a day.
type tick struct {
	at   time.Duration
	hour int
	day  bool // the first instant of its date
	time time.Time
}

// grain divides the offsets of all zones by now, and so their hours begin at multiples of it.
const grain = 15 * time.Minute

// ticks returns the hours of the window, and the days, as the clocks of the zone show them.
func (c *Chart) ticks() (all []tick) {
	w := c.Plan.Window
	at := w.From.Truncate(grain)
	before := at.Add(-1).In(c.Zone)
	for ; at.Before(w.To); at = at.Add(grain) {
		local := at.In(c.Zone)
		newDay := local.Day() != before.Day()
		if (newDay || local.Minute() == 0) && !at.Before(w.From) {
			all = append(all, tick{at.Sub(w.From), local.Hour(), newDay, local})
		}
		before = local
	}
	return all
}

// change is an instant at which the clocks are put forward, or back.
type change struct {
	at       time.Duration
	from, to time.Time // what the clocks show
}

// text tells a change in a few words.
func (c change) text() string {
	return c.from.Format("15:04") + " → " + c.to.Format("15:04")
}

// sentence tells a change.
func (c change) sentence() string {
	way := "forward"
	if c.to.Format("15:04") < c.from.Format("15:04") {
		way = "back"
	}
	return fmt.Sprintf("at %s they go %s to %s", c.from.Format("15:04 on Mon 2 Jan"), way,
		c.to.Format("15:04"))
}

// changes returns the changes of the clock in the window.
func (c *Chart) changes() (all []change) {
	w := c.Plan.Window
	for at := w.From.In(c.Zone); ; {
		_, end := at.ZoneBounds()
		if end.IsZero() || !end.Before(w.To) {
			return all
		}
		name, before := at.Zone()
		if _, after := end.Zone(); after != before {
			old := end.In(time.FixedZone(name, before))
			all = append(all, change{end.Sub(w.From), old, end})
		}
		at = end
	}
}

// every returns the first of the steps, in hours, of which no more than most fit into the window.
func (c *Chart) every(most int) int {
	for _, step := range []int{1, 2, 3, 4, 6, 8, 12} {
		if int(c.length().Hours())/step <= most {
			return step
		}
	}
	return 24
}
