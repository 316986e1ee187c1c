package run

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// WallWatch is how an owner follows the wall clock, from its first task on that waits on it. The
// owner's lock guards stop.
//
//	idle     -> watching   WatchLocked
//	watching -> idle       UnwatchLocked, at the end of the owner
type WallWatch struct {
	*Env
	waits    *Waits
	views    *Views
	partings atomic.Uint64 // how often the clocks have parted
	stop     func()        // nil while nobody watches
}

// WatchLocked has what waits on the wall clock planned anew whenever that has parted from the
// monotonic one. The lock is held.
func (w *WallWatch) WatchLocked() {
	if w.stop != nil {
		return
	}
	w.stop = w.Wall.Watch(func() {
		w.partings.Add(1)
		for _, c := range w.Host.Waiting() {
			if pl := w.Host.PlanOf(c); pl.Dates != nil {
				w.parted(c, pl)
			}
		}
	})
}

// UnwatchLocked ends what WatchLocked has begun. The lock is held.
func (w *WallWatch) UnwatchLocked() {
	if w.stop != nil {
		w.stop()
	}
}

// EnterOnWall plans the first run of a task that waits on the wall clock, and has it accepted.
func (w *WallWatch) EnterOnWall(
	c *cell.Cell, pl *Plan, plan func() (when int64, err error), accept func(when int64) error,
) error {
	partings := w.Partings()
	when, err := plan()
	if err == nil {
		err = accept(when)
	}
	if err == nil {
		w.PartedSince(partings, c, pl)
	}
	return err
}

// Partings returns how often the clocks have parted.
func (w *WallWatch) Partings() uint64 { return w.partings.Load() }

// PartedSince plans a task anew if the clocks have parted since Partings was called: it may not
// have been among those that wait.
func (w *WallWatch) PartedSince(partings uint64, c *cell.Cell, pl *Plan) {
	if pl.Dates != nil && w.Partings() != partings {
		w.parted(c, pl)
	}
}

// parted plans a waiting task anew that waits on the wall clock, after this has been set. If the
// calendar has to be asked, that has a goroutine of its own: it may take its time, or end that.
func (w *WallWatch) parted(c *cell.Cell, pl *Plan) {
	partings := w.Partings()
	w.Lock.Lock()
	if c.Phase() != cell.Pending || pl.Dates == nil {
		w.Lock.Unlock()
		return
	}
	q := pl.AskAgain(w.moment().Wall)
	w.Lock.Unlock()
	if q.Corrects() {
		go w.correct(c, pl, q, partings)
		return
	}
	w.replan(c, pl, func() bool { return true })
}

// correct is parted for a clock that has been set back so that the waiting run has another slot. If
// the calendar fails, the run that waits will find out, and end the series.
func (w *WallWatch) correct(c *cell.Cell, pl *Plan, q series.Question, partings uint64) {
	var err error
	out := w.askFor(c, pl, q, &err)
	if err != nil {
		return
	}
	corrected := w.replan(c, pl, func() bool {
		if w.Partings() != partings || !pl.Asked(out) {
			return false
		}
		pl.Correct(q, out)
		return true
	})
	if !corrected {
		w.parted(c, pl)
	}
}

// replan has a waiting task follow the wall clock, after a change that may refuse. It reports false
// if that has.
func (w *WallWatch) replan(c *cell.Cell, pl *Plan, change func() bool) (done bool) {
	w.locked(func() (then func()) {
		waits := c.Phase() == cell.Pending && !pl.Retrying()
		if done = !waits || change(); !waits || !done {
			return nil
		}
		m := w.moment()
		pl.noticed = m.Now
		when := pl.Replan(m)
		switch {
		case pl.Periodic() && pl.Over(m.Now):
			then = w.waits.setAside(c, beyond)
		case when != c.When && when != clock.Never:
			_, then = w.waits.requeue(c, when, m.Now)
		}
		w.waits.LimitLocked(c, pl)
		return then
	})
	return done
}
