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

// Waits are how tasks of an owner wait: for how long at most, and for what time.
type Waits struct{ *Env }

// requeue moves a waiting task as [Host.RequeueLocked] does, after which a worker may be lacking no
// more. The lock is held.
func (ws *Waits) requeue(c *cell.Cell, when, now int64) (moved bool, then func()) {
	defer ws.RecheckShortageLocked()
	return ws.Host.RequeueLocked(c, when, now)
}

// setAside is [Host.SetAsideLocked], after which a worker may be lacking no more. The lock is held.
func (ws *Waits) setAside(c *cell.Cell, why Skip) (finish func()) {
	defer ws.RecheckShortageLocked()
	return ws.Host.SetAsideLocked(c, why)
}

// LimitLocked is called when a task has come to wait, or waits for something else than before: it
// sees to it that the task does not wait for too long. The lock is held.
func (ws *Waits) LimitLocked(c *cell.Cell, pl *Plan) {
	if !pl.limited() {
		return
	}
	now := ws.Clock.Now()
	at := clock.Never
	if c.Phase() == cell.Pending {
		at = pl.Limit(c.When, now)
	}
	switch t := pl.overtime; {
	case at == clock.Never:
		t.stop()
	case t != nil && t.set && t.at == at:
	default:
		ws.setOvertime(c, pl, at, now)
	}
}

func (ws *Waits) setOvertime(c *cell.Cell, pl *Plan, at, now int64) {
	if pl.overtime == nil {
		pl.overtime = new(overtime)
	}
	t, wait := pl.overtime, time.Duration(max(at-now, 0))
	t.set, t.at = true, at
	if t.timer == nil {
		t.timer = time.AfterFunc(wait, func() { ws.outstayed(c, pl) })
		return
	}
	t.timer.Reset(wait)
}

// unlimit ends what LimitLocked has begun. The lock must not be held.
func (ws *Waits) unlimit(pl *Plan) {
	if !pl.limited() {
		return
	}
	ws.Lock.Lock()
	defer ws.Lock.Unlock()
	pl.overtime.stop()
}

// outstayed ends the wait of a task that has waited for too long, if that is still so.
func (ws *Waits) outstayed(c *cell.Cell, pl *Plan) {
	var q series.Question
	asks := false
	ws.locked(func() (finish func()) {
		if !pl.overtime.set {
			return nil
		}
		pl.overtime.set = false
		if q, asks = ws.askLatestLocked(c, pl); asks {
			return nil
		}
		return ws.endWaitLocked(c, pl)
	})
	if !asks {
		return
	}
	var out series.Outlook
	var err error
	defer func() { ws.outstayedSince(c, pl, out, err) }() // also if the calendar ends the goroutine
	out = ask(q, &err)
}

// outstayedSince is the rest of outstayed, once the calendar has been asked.
func (ws *Waits) outstayedSince(c *cell.Cell, pl *Plan, out series.Outlook, err error) {
	ws.locked(func() (finish func()) {
		if m := ws.moment(); err == nil && c.Phase() == cell.Pending && pl.Asked(out) &&
			!pl.Retrying() && !pl.ExtraNext() && !pl.Suspended() {
			// A later slot has come, for which it is not too late.
			late := m.Now - m.On(out.Latest()) - int64(pl.PutOff())
			if left := pl.BeginWithin - time.Duration(late); left >= 0 {
				ws.setOvertime(c, pl, clock.Later(clock.Later(m.Now, left), 1), m.Now)
				return nil
			}
		}
		return ws.endWaitLocked(c, pl)
	})
}

// askLatestLocked returns a question for the latest slot of a calendar, if the waiting run stands
// for all slots that have passed. The lock is held.
func (ws *Waits) askLatestLocked(c *cell.Cell, pl *Plan) (q series.Question, asks bool) {
	if !pl.calendar || pl.CatchUp == series.Burst || c.Phase() != cell.Pending ||
		pl.Suspended() || pl.ExtraNext() || pl.Retrying() {
		return q, false
	}
	m := ws.moment()
	if m.Now < pl.Limit(c.When, m.Now) {
		return q, false
	}
	return pl.Ask(m.Wall.Add(-pl.PutOff()), true), true
}

// endWaitLocked sets a task aside that has waited for too long, and returns what is to be called
// without the lock, or nil. The lock is held.
func (ws *Waits) endWaitLocked(c *cell.Cell, pl *Plan) (finish func()) {
	now := ws.Clock.Now()
	if c.Phase() != cell.Pending {
		return nil
	}
	if now < pl.Limit(c.When, now) {
		ws.LimitLocked(c, pl)
		return nil
	}
	why := tardy
	if pl.Suspended() && !pl.ExtraNext() {
		why = beyond
	}
	return ws.setAside(c, why)
}
