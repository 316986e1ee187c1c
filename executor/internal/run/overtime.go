package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// A task may wait for a limited time: for a run that must begin within some, or, while it is
// paused, until the end of its series. Whatever it waits for, a worker, its turn or the end of a
// pause, it has waited for too long at that very moment:
//
//	waiting -> started   Start: somebody takes it in time
//	waiting -> aside     outstayed: a timer of its own says that it has waited for too long
//	waiting -> aside     replannedLocked: a command has left the series no run to wait for
//	aside   -> counted   the run takes its course, on another goroutine, without its body
//
// The run that is set aside has begun as far as everybody else is concerned, who may want to cancel
// the task, or to hand it back. So nothing ends twice.

// overtime is the timer of such a task, which is set while the task waits. The owner's lock guards
// it.
type overtime struct {
	err   error // of a run that expires
	timer *time.Timer
	at    int64 // when it fires, if it is set
	set   bool
	over  bool // the only run of the task has expired
}

func (t *overtime) expired() bool { return t != nil && t.over }

func (t *overtime) stop() {
	if t != nil && t.set {
		t.set = false
		t.timer.Stop()
	}
}

// limited reports whether the task may wait for a limited time.
func (pl *Plan) limited() bool {
	return pl.BeginWithin > 0 || !pl.Options.Until.IsZero() && pl.Periodic()
}

// LimitLocked is called when a task has come to wait, or waits for something else than before: it
// sees to it that the task does not wait for too long. The lock is held.
func (o *Owner) LimitLocked(c *cell.Cell, pl *Plan) {
	if !pl.limited() {
		return
	}
	now := o.Clock.Now()
	at := clock.Never
	if c.Phase() == cell.Pending {
		at = pl.Limit(c.When, now)
	}
	switch t := pl.overtime; {
	case at == clock.Never:
		t.stop()
	case t != nil && t.set && t.at == at:
	default:
		o.setOvertime(c, pl, at, now)
	}
}

func (o *Owner) setOvertime(c *cell.Cell, pl *Plan, at, now int64) {
	if pl.overtime == nil {
		pl.overtime = new(overtime)
	}
	t, wait := pl.overtime, time.Duration(max(at-now, 0))
	t.set, t.at = true, at
	if t.timer == nil {
		t.timer = time.AfterFunc(wait, func() { o.outstayed(c, pl) })
		return
	}
	t.timer.Reset(wait)
}

// unlimit ends what LimitLocked has begun. The lock must not be held.
func (o *Owner) unlimit(pl *Plan) {
	if !pl.limited() {
		return
	}
	o.Lock.Lock()
	defer o.Lock.Unlock()
	pl.overtime.stop()
}

// outstayed ends the wait of a task that has waited for too long, if that is still so.
func (o *Owner) outstayed(c *cell.Cell, pl *Plan) {
	o.Lock.Lock()
	if !pl.overtime.set {
		o.Lock.Unlock()
		return
	}
	pl.overtime.set = false
	q, asks := o.askLatestLocked(c, pl)
	if !asks {
		finish := o.endWaitLocked(c, pl)
		o.Lock.Unlock()
		if finish != nil {
			finish()
		}
		return
	}
	o.Lock.Unlock()
	var out series.Outlook
	var err error
	defer func() { o.outstayedSince(c, pl, out, err) }() // also if the calendar ends the goroutine
	out = ask(q, &err)
}

// outstayedSince is the rest of outstayed, once the calendar has been asked.
func (o *Owner) outstayedSince(c *cell.Cell, pl *Plan, out series.Outlook, err error) {
	o.Lock.Lock()
	var finish func()
	if m := o.moment(); err == nil && c.Phase() == cell.Pending && pl.Asked(out) &&
		!pl.Retrying() && !pl.ExtraNext() && !pl.Suspended() {
		// A later slot has come, for which it is not too late.
		late := m.Now - m.On(out.Latest()) - int64(pl.PutOff())
		if left := pl.BeginWithin - time.Duration(late); left >= 0 {
			o.setOvertime(c, pl, clock.Later(clock.Later(m.Now, left), 1), m.Now)
			o.Lock.Unlock()
			return
		}
	}
	finish = o.endWaitLocked(c, pl)
	o.Lock.Unlock()
	if finish != nil {
		finish()
	}
}

// askLatestLocked returns a question for the latest slot of a calendar, if the waiting run stands
// for all slots that have passed. The lock is held.
func (o *Owner) askLatestLocked(c *cell.Cell, pl *Plan) (q series.Question, asks bool) {
	if !pl.calendar || pl.CatchUp == series.Burst || c.Phase() != cell.Pending ||
		pl.Suspended() || pl.ExtraNext() || pl.Retrying() {
		return q, false
	}
	m := o.moment()
	if m.Now < pl.Limit(c.When, m.Now) {
		return q, false
	}
	return pl.Ask(m.Wall.Add(-pl.PutOff()), true), true
}

// endWaitLocked sets a task aside that has waited for too long, and returns what is to be called
// without the lock, or nil. The lock is held.
func (o *Owner) endWaitLocked(c *cell.Cell, pl *Plan) (finish func()) {
	now := o.Clock.Now()
	if c.Phase() != cell.Pending {
		return nil
	}
	if now < pl.Limit(c.When, now) {
		o.LimitLocked(c, pl)
		return nil
	}
	why := tardy
	if pl.Suspended() && !pl.ExtraNext() {
		why = beyond
	}
	return o.setAside(c, why)
}
