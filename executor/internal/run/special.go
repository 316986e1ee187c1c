package run

import "github.com/punctual-go/punctual/internal/cell"

// A task is special if an option asks for more than to call the body and, of a series, to plan the
// next run. These are the steps of its runs that others do not have.

// startSpecial accounts for the run in the state of a special task, and finds out whether the body
// is to be called. The lock is held.
func (x *Execution) startSpecial(c *cell.Cell, pl *Plan, now int64) {
	pl.overtime.stop()
	x.Due = max(pl.Planned(pl.DueAt(c)), pl.noticed)
	if pl.Dates != nil {
		m := x.Owner.moment()
		x.partings = x.Owner.Partings()
		if x.Aside == noSkip && pl.Early(m) {
			x.skip = early
			return
		}
		pl.Dates.Begun(m)
	}
	pl.failed = nil
	if counts, later := pl.BeginAttempt(now); later {
		c.When = counts
		return
	}
	switch {
	case x.Aside == beyond || pl.Periodic() && pl.Over(now):
		x.skip = beyond
		return
	// It is not known yet which slot the run is for, see reckon.
	case pl.calendar && !pl.ExtraNext():
	case pl.TooLate(c.When, now):
		x.skip = tardy
	}
	switch {
	case !pl.Periodic():
	case x.skip == tardy:
		c.When = pl.Lapse(pl.PlannedFor(c.When), now)
	default:
		c.When = pl.Start(pl.PlannedFor(c.When), now)
	}
}

// keepRun has a run kept that has ended.
func (x *Execution) keepRun() {
	if x.Plan.Past == nil || x.skip != noSkip {
		return
	}
	keeper := x.Plan.Past.Keeper()
	if keeper == nil {
		return
	}
	x.Owner.Guard("record of runs", x.Info(), func() {
		if err := keeper.Ended(x.Plan.Name); err != nil {
			x.Owner.Report(x.Info(), err)
		}
	})
}

// isLast reports whether a bounded series ends with this run.
func (x *Execution) isLast() bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	x.Owner.readWallLocked(x.Plan)
	return x.Plan.LastAfter(x.Ended, x.failures())
}

// failures returns how many runs in a row have failed with this one, which Tell has not counted
// yet.
func (x *Execution) failures() uint64 {
	switch {
	case x.Err == nil:
		return 0
	case x.told, x.Skipped: // the one has been counted, the other does not count
		return x.Plan.Streak.Length
	}
	return x.Plan.Streak.Length + 1
}

// pause pauses the series if it goes on, but has failed too often in a row.
func (x *Execution) pause() {
	if x.Plan.PauseAfter == 0 || !x.Failed || !x.Again || x.stuck || !x.pauses() {
		return
	}
	defer x.Owner.Told(News{What: TaskPaused, Task: x.Task, Plan: x.Plan})
	x.Owner.seriesPaused(x.Info(), x.Err, x.Plan.Streak.Length)
}

// pauses reports whether the series pauses because of its failures.
func (x *Execution) pauses() bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	return x.mayGoOnLocked() && x.Plan.Pauses(x.Plan.Streak.Length)
}

// repeatsSpecial is Repeats for a special task that may go on.
func (x *Execution) repeatsSpecial(c *cell.Cell, pl *Plan) (when int64, repeats bool) {
	if !x.release(c, pl) {
		return 0, false
	}
	if pl.Dates != nil && x.Owner.Partings() != x.partings {
		go x.Owner.PartedSince(x.partings, c, pl) // it waits for the lock
	}
	switch {
	case x.tries:
		pl.AwaitRetry(x.retry, c.When)
		return pl.Due(), true
	case x.skip == early:
		when = pl.Replan(x.Owner.moment())
	default:
		x.Owner.readWallLocked(pl)
		when = pl.Next(x.Ended)
	}
	x.Owner.LimitLocked(c, pl)
	return when, true
}

// release ends the run of a task that goes on. If its first body was not called, it has not begun.
func (x *Execution) release(c *cell.Cell, pl *Plan) bool {
	if x.skip == early && pl.Attempt() == 0 && pl.Runs == 0 || x.skip == tardy && pl.Runs == 0 {
		return c.Revoke()
	}
	return c.Reset()
}
