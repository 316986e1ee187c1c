package run

import (
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// watch is how an owner follows the wall clock, from its first task on that waits on it.
//
//	idle     -> watching   Watch
//	watching -> idle       Unwatch, at the end of the owner
type watch struct {
	partings atomic.Uint64 // how often the clocks have parted
	stop     func()        // nil while nobody watches
}

// Tasks lends the cells of all tasks that wait, and leads from a cell to its plan.
type Tasks interface {
	Waiting() []*cell.Cell
	Plan(c *cell.Cell) (*Owner, *Plan)
}

// WatchLocked has what waits on the wall clock planned anew whenever that has parted from the
// monotonic one. The lock is held.
func (o *Owner) WatchLocked(tasks Tasks) {
	if o.watch.stop != nil {
		return
	}
	o.watch.stop = o.Wall.Watch(func() {
		o.watch.partings.Add(1)
		for _, c := range tasks.Waiting() {
			if _, pl := tasks.Plan(c); pl.Dates != nil {
				o.parted(c, pl)
			}
		}
	})
}

// UnwatchLocked ends what WatchLocked has begun. The lock is held.
func (o *Owner) UnwatchLocked() {
	if o.watch.stop != nil {
		o.watch.stop()
	}
}

// readWallLocked reads the clocks for a plan that may wait on the wall clock, and is to be changed
// or copied. The lock is held.
func (o *Owner) readWallLocked(pl *Plan) {
	if pl.Dates != nil {
		pl.Dates.At(o.moment())
	}
}

// EnterOnWall plans the first run of a task that waits on the wall clock, and has it accepted.
func (o *Owner) EnterOnWall(
	c *cell.Cell, pl *Plan, plan func() (when int64, err error), accept func(when int64) error,
) error {
	partings := o.Partings()
	when, err := plan()
	if err == nil {
		err = accept(when)
	}
	if err == nil {
		o.PartedSince(partings, c, pl)
	}
	return err
}

// Partings returns how often the clocks have parted.
func (o *Owner) Partings() uint64 { return o.watch.partings.Load() }

// PartedSince plans a task anew if the clocks have parted since Partings was called: it may not
// have been among those that wait.
func (o *Owner) PartedSince(partings uint64, c *cell.Cell, pl *Plan) {
	if pl.Dates != nil && o.Partings() != partings {
		o.parted(c, pl)
	}
}

// parted plans a waiting task anew that waits on the wall clock, after this has been set. If the
// calendar has to be asked, that has a goroutine of its own: it may take its time, or end that.
func (o *Owner) parted(c *cell.Cell, pl *Plan) {
	partings := o.Partings()
	o.Lock.Lock()
	if c.Phase() != cell.Pending || pl.Dates == nil {
		o.Lock.Unlock()
		return
	}
	q := pl.AskAgain(o.moment().Wall)
	o.Lock.Unlock()
	if q.Corrects() {
		go o.correct(c, pl, q, partings)
		return
	}
	o.replan(c, pl, func() bool { return true })
}

// correct is parted for a clock that has been set back so that the waiting run has another slot. If
// the calendar fails, the run that waits will find out, and end the series.
func (o *Owner) correct(c *cell.Cell, pl *Plan, q series.Question, partings uint64) {
	var err error
	out := o.askFor(c, pl, q, &err)
	if err != nil {
		return
	}
	corrected := o.replan(c, pl, func() bool {
		if o.Partings() != partings || !pl.Asked(out) {
			return false
		}
		pl.Correct(q, out)
		return true
	})
	if !corrected {
		o.parted(c, pl)
	}
}

// replan has a waiting task follow the wall clock, after a change that may refuse. It reports false
// if that has.
func (o *Owner) replan(c *cell.Cell, pl *Plan, change func() bool) (done bool) {
	var then func()
	defer func() {
		if then != nil {
			then()
		}
	}()
	o.Lock.Lock()
	defer o.Lock.Unlock()
	switch {
	case c.Phase() != cell.Pending || pl.Retrying():
		return true
	case !change():
		return false
	}
	m := o.moment()
	pl.noticed = m.Now
	when := pl.Replan(m)
	switch {
	case pl.Periodic() && pl.Over(m.Now):
		then = o.setAside(c, beyond)
	case when != c.When && when != clock.Never:
		_, then = o.requeue(c, when, m.Now)
	}
	o.LimitLocked(c, pl)
	return true
}

// shown is when a run was planned and began, as the wall clock showed it. The owner's clock knows
// only what that would show, had nobody set it.
type shown struct{ scheduled, started time.Time }

// onWallLocked returns the times of the run of c that is in progress, or of the last one, if the
// task waits on the wall clock and has begun. The lock is held.
func onWallLocked(c *cell.Cell, pl *Plan) (s shown, ok bool) {
	if pl.Dates == nil {
		return s, false
	}
	began, ok := pl.Dates.Began()
	if !ok {
		return s, false
	}
	s = shown{began.Shows(c.When), began.Shows(c.Started)}
	if !pl.Extra() {
		s.scheduled = pl.Dates.Slot()
	}
	return s, true
}
