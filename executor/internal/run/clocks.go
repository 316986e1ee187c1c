package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Clocks are the two clocks that tasks go by. They call no user code.
type Clocks struct {
	Clock clock.Clock // never shows 0, which stands for a time that nobody has read
	Wall  wall.Clock
}

// moment returns the present moment.
func (cs *Clocks) moment() series.Moment {
	mono, wall := cs.Wall.Read()
	return series.Moment{Now: cs.Clock.Of(mono), Wall: wall}
}

// readWallLocked reads the clocks for a plan that may wait on the wall clock, and is to be changed
// or copied. The owner's lock is held.
func (cs *Clocks) readWallLocked(pl *Plan) {
	if pl.Dates != nil {
		pl.Dates.At(cs.moment())
	}
}

// bound returns a time as one of the clock, or 0 for the zero time.
func (cs *Clocks) bound(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return max(cs.Clock.At(t), 1)
}

// OwnTime returns the time on the clock at which a task is to run once. Only if it may not begin
// too late, that may have passed.
func (cs *Clocks) OwnTime(pl *Plan, at time.Time) int64 {
	if pl.BeginWithin == 0 {
		return cs.Clock.At(at)
	}
	return cs.moment().On(at)
}
