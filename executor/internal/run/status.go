package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Status is how a task is at one moment.
type Status struct {
	Phase  cell.Phase
	Paused bool
	Period time.Duration
	Next   time.Time
	Runs   uint64
	Last   *LastRun
}

// StatusLocked returns how c is. The lock is held.
func (o *Owner) StatusLocked(
	c *cell.Cell, pl *Plan, next func(*cell.Cell) (time.Time, bool),
) (s Status) {
	s.Phase = c.Phase()
	s.Runs = o.runsLocked(c, pl)
	if at, planned := next(c); planned {
		s.Next = at
	}
	if pl.Periodic() {
		s.Period, s.Paused = pl.PeriodNow(), pl.Paused() && !s.Phase.Settled()
		if pl.latest != nil {
			last := o.LastRunOf(pl, *pl.latest)
			s.Last = &last
		}
	}
	return s
}
