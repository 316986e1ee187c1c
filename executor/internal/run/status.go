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
	Health *TaskHealth
}

// Status returns how c is. Next is called with the lock held.
func (o *Owner) Status(
	c *cell.Cell, pl *Plan, next func(*cell.Cell) (time.Time, bool),
) (s Status) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	s.Phase = c.Phase()
	s.Runs = o.runsLocked(c, pl)
	if at, planned := next(c); planned {
		s.Next = at
	}
	if pl.Periodic() {
		s.Period, s.Paused = pl.PeriodNow(), pl.Paused() && !s.Phase.Settled()
		if pl.latest != nil {
			last := o.lastRun(pl, *pl.latest)
			s.Last = &last
		}
	}
	if pl.expects != nil {
		if health, ok := o.judge(pl.expects, o.Clock.Now(), o.holdsLocked()); ok {
			s.Health = &health
		}
	}
	return s
}
