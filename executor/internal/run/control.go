package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Pause stops the planned runs of a series. A run in progress goes on.
func (o *Owner) Pause(c *cell.Cell, pl *Plan) bool {
	paused := o.command(c, pl, func(int64) bool { return pl.Pause() })
	if paused {
		o.Told(News{What: TaskPaused, Task: c, Plan: pl})
	}
	return paused
}

// Resume ends a pause.
func (o *Owner) Resume(c *cell.Cell, pl *Plan) (resumed bool) {
	if pl.calendar {
		resumed = o.resumeDates(c, pl)
	} else {
		resumed = o.command(c, pl, pl.Resume)
	}
	if resumed {
		o.Told(News{What: TaskResumed, Task: c, Plan: pl})
	}
	return resumed
}

// Trigger asks for an extra run of a series.
func (o *Owner) Trigger(c *cell.Cell, pl *Plan) bool {
	return o.command(c, pl, func(now int64) bool {
		pl.Series.Trigger(now)
		return true
	})
}

// Reset plans the next run of a series for d from now, or the only run of a task, if that has not
// begun.
func (o *Owner) Reset(c *cell.Cell, pl *Plan, d time.Duration) bool {
	if pl.Periodic() {
		return o.command(c, pl, func(now int64) bool {
			pl.Series.Reset(clock.Later(now, d), now)
			return true
		})
	}
	return o.move(c, pl, d)
}

// SetPeriod changes the period of a series. It reports false if the series has ended.
func (o *Owner) SetPeriod(c *cell.Cell, pl *Plan, d time.Duration) (live bool, err error) {
	if !pl.Periodic() {
		return false, Invalid("a task that runs once has no period")
	}
	if pl.Dates != nil {
		return false, Invalid("a task on a calendar has no period")
	}
	if err := checkPeriod(&pl.Options, d, pl.Period); err != nil {
		return false, err
	}
	return o.command(c, pl, func(now int64) bool {
		pl.Series.SetPeriod(d, now)
		return true
	}), nil
}

// NextIn plans the next run of a series for d after the end of the one in progress.
func (o *Owner) NextIn(c *cell.Cell, pl *Plan, d time.Duration) bool {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if !pl.Periodic() || c.Phase() != cell.Running {
		return false
	}
	pl.Series.NextIn(max(d, 0))
	return true
}

// Paused reports whether a series is paused and has not ended.
func (o *Owner) Paused(c *cell.Cell, pl *Plan) bool {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return pl.Paused() && !c.Phase().Settled()
}

// PeriodOf returns the period of a series, as it is now.
func (o *Owner) PeriodOf(pl *Plan) time.Duration {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	return pl.PeriodNow()
}

// command changes the plan of a series that has not ended, and moves it in the queue if it waits
// there. If a run is in progress, the end of that looks at the plan.
func (o *Owner) command(c *cell.Cell, pl *Plan, change func(now int64) bool) bool {
	if !pl.Periodic() {
		return false
	}
	var then func()
	defer func() {
		if then != nil {
			then()
		}
	}()
	o.Lock.Lock()
	defer o.Lock.Unlock()
	now := o.Clock.Now()
	if c.Phase().Settled() || pl.Counted() {
		return false
	}
	o.readWallLocked(pl)
	if !change(now) {
		return false
	}
	if c.Phase() == cell.Pending {
		then = o.replannedLocked(c, pl, now)
	}
	return true
}

// replannedLocked moves a series in the queue whose plan has changed, or ends it if it has no run
// to wait for any more. It returns what is to be called without the lock, or nil. The lock is held.
func (o *Owner) replannedLocked(c *cell.Cell, pl *Plan, now int64) (then func()) {
	if pl.Over(now) {
		if then = o.setAside(c, beyond); then != nil {
			return then
		}
	}
	if when := pl.Due(); when != pl.DueAt(c) {
		_, then = o.requeue(c, when, now)
	}
	o.LimitLocked(c, pl)
	return then
}

// move gives a task that runs once, and has not begun, another time.
func (o *Owner) move(c *cell.Cell, pl *Plan, d time.Duration) (moved bool) {
	var then func()
	defer func() {
		if then != nil {
			then()
		}
	}()
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if c.Phase() != cell.Pending || pl.Attempt() > 0 {
		return false
	}
	now, before := o.Clock.Now(), pl.Spot()
	when := pl.First(clock.Later(now, d))
	if pl.Dates != nil {
		pl.Dates.At(o.moment())
		pl.Moved()
	}
	if moved, then = o.requeue(c, when, now); !moved {
		pl.Return(before)
	}
	o.LimitLocked(c, pl)
	return moved
}
