package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Control obeys the commands that change when a waiting task runs.
type Control struct {
	*Env
	waits *Waits
	watch *WallWatch
}

// Pause stops the planned runs of a series. A run in progress goes on.
func (ct *Control) Pause(c *cell.Cell, pl *Plan) bool {
	paused := ct.command(c, pl, func(int64) bool { return pl.Pause() })
	if paused {
		ct.Told(News{What: TaskPaused, Task: c, Plan: pl})
	}
	return paused
}

// Resume ends a pause.
func (ct *Control) Resume(c *cell.Cell, pl *Plan) (resumed bool) {
	if pl.calendar {
		resumed = ct.resumeDates(c, pl)
	} else {
		resumed = ct.command(c, pl, pl.Resume)
	}
	if resumed {
		ct.Told(News{What: TaskResumed, Task: c, Plan: pl})
	}
	return resumed
}

// Trigger asks for an extra run of a series.
func (ct *Control) Trigger(c *cell.Cell, pl *Plan) bool {
	return ct.command(c, pl, func(now int64) bool {
		pl.Series.Trigger(now)
		return true
	})
}

// Reset plans the next run of a series for d from now, or the only run of a task, if that has not
// begun.
func (ct *Control) Reset(c *cell.Cell, pl *Plan, d time.Duration) bool {
	if pl.Periodic() {
		return ct.command(c, pl, func(now int64) bool {
			pl.Series.Reset(clock.Later(now, d), now)
			return true
		})
	}
	return ct.move(c, pl, d)
}

// SetPeriod changes the period of a series. It reports false if the series has ended.
func (ct *Control) SetPeriod(c *cell.Cell, pl *Plan, d time.Duration) (live bool, err error) {
	if !pl.Periodic() {
		return false, Invalid("a task that runs once has no period")
	}
	if pl.Dates != nil {
		return false, Invalid("a task on a calendar has no period")
	}
	if err := checkPeriod(&pl.Options, d, pl.Period); err != nil {
		return false, err
	}
	return ct.command(c, pl, func(now int64) bool {
		pl.Series.SetPeriod(d, now)
		return true
	}), nil
}

// NextIn plans the next run of a series for d after the end of the one in progress.
func (ct *Control) NextIn(c *cell.Cell, pl *Plan, d time.Duration) bool {
	ct.Lock.Lock()
	defer ct.Lock.Unlock()
	if !pl.Periodic() || c.Phase() != cell.Running {
		return false
	}
	pl.Series.NextIn(max(d, 0))
	return true
}

// Paused reports whether a series is paused and has not ended.
func (ct *Control) Paused(c *cell.Cell, pl *Plan) bool {
	ct.Lock.Lock()
	defer ct.Lock.Unlock()
	return pl.Paused() && !c.Phase().Settled()
}

// PeriodOf returns the period of a series, as it is now.
func (ct *Control) PeriodOf(pl *Plan) time.Duration {
	ct.Lock.Lock()
	defer ct.Lock.Unlock()
	return pl.PeriodNow()
}

// command changes the plan of a series that has not ended, and moves it in the queue if it waits
// there. If a run is in progress, the end of that looks at the plan.
func (ct *Control) command(
	c *cell.Cell, pl *Plan, change func(now int64) bool,
) (changed bool) {
	if !pl.Periodic() {
		return false
	}
	ct.locked(func() (then func()) {
		now := ct.Clock.Now()
		if c.Phase().Settled() || pl.Counted() {
			return nil
		}
		ct.readWallLocked(pl)
		if changed = change(now); !changed || c.Phase() != cell.Pending {
			return nil
		}
		return ct.replannedLocked(c, pl, now)
	})
	return changed
}

// replannedLocked moves a series in the queue whose plan has changed, or ends it if it has no run
// to wait for any more. It returns what is to be called without the lock, or nil. The lock is held.
func (ct *Control) replannedLocked(c *cell.Cell, pl *Plan, now int64) (then func()) {
	if pl.Over(now) {
		if then = ct.waits.setAside(c, beyond); then != nil {
			return then
		}
	}
	if when := pl.Due(); when != pl.DueAt(c) {
		_, then = ct.waits.requeue(c, when, now)
	}
	ct.waits.LimitLocked(c, pl)
	return then
}

// move gives a task that runs once, and has not begun, another time.
func (ct *Control) move(c *cell.Cell, pl *Plan, d time.Duration) (moved bool) {
	ct.locked(func() (then func()) {
		if c.Phase() != cell.Pending || pl.Attempt() > 0 {
			return nil
		}
		now, before := ct.Clock.Now(), pl.Spot()
		when := pl.First(clock.Later(now, d))
		if pl.Dates != nil {
			pl.Dates.At(ct.moment())
			pl.Moved()
		}
		if moved, then = ct.waits.requeue(c, when, now); !moved {
			pl.Return(before)
		}
		ct.waits.LimitLocked(c, pl)
		return then
	})
	return moved
}

// resumeDates is Resume for a series on a calendar. If the calendar fails, nothing is dropped: the
// next run will find out, and end the series.
func (ct *Control) resumeDates(c *cell.Cell, pl *Plan) bool {
	for {
		ct.Lock.Lock()
		if !pl.Paused() || c.Phase().Settled() {
			ct.Lock.Unlock()
			return false
		}
		partings := ct.watch.Partings()
		q := pl.Ask(ct.moment().Wall, false)
		ct.Lock.Unlock()
		var err error
		out := ct.watch.askFor(c, pl, q, &err)
		if err != nil {
			out = series.Outlook{}
		}
		moved := false
		resumed := ct.command(c, pl, func(now int64) bool {
			moved = err == nil && (!pl.Asked(out) || ct.watch.Partings() != partings)
			if moved {
				return false
			}
			pl.LookAhead(out)
			return pl.Series.Resume(now)
		})
		if !moved {
			return resumed
		}
	}
}
