package simulate

import "time"

// seriesModel says when the runs of a series are due. It is the reference model of the catch-up
// policies, counted out step by step, and shares no code with package series.
type seriesModel struct {
	rule   rule
	first  time.Duration
	period time.Duration

	slot   int64         // of the grid of a fixed rate: of the next run, or of the one in progress
	due    time.Duration // of the next run, or of the one in progress
	missed uint64
}

// rule is how a series goes on.
type rule uint8

const (
	once rule = iota
	burst
	skip
	coalesce
	fixedDelay
	startToStart // of the classic timer
)

// String returns the name of the rule.
func (r rule) String() string {
	return [...]string{"once", "burst", "skip", "coalesce", "fixed delay", "start to start"}[r]
}

func (r rule) fixedRate() bool { return r == burst || r == skip || r == coalesce }

// at is when a slot of the grid is.
func (c *seriesModel) at(slot int64) time.Duration {
	return sum(c.first,
		time.Duration(slot)*c.period)
}

// begin is called when a run begins. It returns the time that the run is for, and how many runs
// were missed.
func (c *seriesModel) begin(now time.Duration) (scheduled time.Duration, missed uint64) {
	switch c.rule {
	case burst:
		for slot := c.slot + 1; c.at(slot) <= now; slot++ {
			missed++ // yet to be made up for
		}
		return c.due, missed
	case skip, coalesce:
		for c.at(c.slot+1) <= now {
			c.slot++
			c.missed++
		}
		c.due = c.at(c.slot)
		return c.due, c.missed
	case startToStart:
		c.due = now
	}
	return c.due, 0
}

// end is called when a run has ended, and another is to follow.
func (c *seriesModel) end(now time.Duration) {
	c.missed = 0
	c.slot++
	switch c.rule {
	case fixedDelay:
		c.due = sum(now, c.period)
		return
	case startToStart:
		c.due = sum(c.due, c.period)
		return
	case skip:
		for c.at(c.slot) < now {
			c.slot++
			c.missed++
		}
	}
	c.due = c.at(c.slot)
}
