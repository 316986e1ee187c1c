package simulate

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// planLocked notes that f is about to be armed, d from now; the lock is held.
func (ts *timerSim) planLocked(f *timerFunc, d time.Duration) (before time.Duration) {
	before = ts.advanceLocked()
	ts.report.Ops++
	f.due = sum(before, d)
	f.deadline = f.due
	f.plannedAt, f.dueBy = ts.plannedStart(f.inst, before, d), never
	f.queuedFrom, f.queuedBy = ts.stamp, 0
	f.armings++
	return before
}

// arm arms f for the first time.
func (ts *timerSim) arm(f *timerFunc) {
	if f == nil {
		return
	}
	ts.mu.Lock()
	f.inst = ts.inst
	ts.planLocked(f, f.delay)
	f.changes++
	late := f.inst.ended && f.inst.endedAt < ts.quietUntil
	ts.mu.Unlock()
	h := f.inst.sched.AfterFunc(f.delay, f.body)
	err := timer.Err(h)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	f.handle, f.registered = h, true
	f.changes--
	switch {
	case isRefused(err):
		ts.refusedLocked(f, err)
	case late:
		ts.faultLocked(&ts.report.Lost, "function %v was armed after the end", f)
	default:
		ts.armed++
		f.dueBy, f.queuedBy = ts.plannedStart(f.inst, now, f.delay), ts.stamp
	}
}

// isRefused reports whether err says that a function was not armed. An executor that refuses it
// when it is due is something else.
func isRefused(err error) bool {
	return errors.Is(err, timer.ErrClosed) || errors.Is(err, timer.ErrSaturated)
}

// refusedLocked notes that f was not armed; the lock is held.
func (ts *timerSim) refusedLocked(f *timerFunc, err error) {
	f.armings--
	f.dueBy = never
	if errors.Is(err, timer.ErrClosed) && !f.inst.ended ||
		errors.Is(err, timer.ErrSaturated) && ts.pendingLimit == 0 {
		ts.faultLocked(&ts.report.Lost, "function %v was refused: %v", f, err)
	}
}

// reset re-arms f. A run that begins meanwhile may belong to the old deadline or to the new one.
func (ts *timerSim) reset(f *timerFunc, d time.Duration) {
	ts.mu.Lock()
	if !f.registered || !f.hasHandle() || f.inst.ended {
		ts.mu.Unlock()
		return
	}
	due, at, latest, left := f.due, f.plannedAt, f.dueBy, f.outstanding()
	before := ts.planLocked(f, d)
	came := f.queuedFrom
	if left > 0 {
		f.due, f.plannedAt = min(due, f.due), min(at, f.plannedAt) // the order is not judged then
	}
	f.changes++
	f.ambiguous = f.ambiguous || f.changes > 1
	ts.mu.Unlock()
	was := f.handle.Reset(d)
	err := timer.Err(f.handle)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	f.changes--
	if was {
		f.endedArmings++
		ts.armed--
		if ts.timeline.overdue(latest) && !f.ambiguous && f.changes == 0 && !f.inst.ended {
			ts.faultLocked(&ts.report.Late, "function %v, due on %v, had not begun at %v",
				f, at, ts.freeUntil)
		}
	}
	if isRefused(err) {
		ts.refusedLocked(f, err)
		f.ambiguous = true
		return
	}
	ts.armed++
	if f.changes > 0 || f.queuedFrom != came {
		return // somebody else does so, too
	}
	if f.outstanding() == 1 && (was || left == 0) {
		f.ambiguous = false // there is none but this arming
	}
	switch {
	case was || left == 0 || f.outstanding() < 2:
	case ts.executorRejects: // or it has been refused
		f.ambiguous = true
	default:
		f.staleRuns++
	}
	f.due, f.plannedAt = f.deadline, ts.plannedStart(f.inst, before, d)
	f.dueBy, f.queuedBy = ts.plannedStart(f.inst, now, d), ts.stamp
}

// stop stops f.
func (ts *timerSim) stop(f *timerFunc) {
	ts.mu.Lock()
	if !f.registered {
		ts.mu.Unlock()
		return
	}
	ts.advanceLocked()
	ts.report.Ops++
	f.changes++
	armed := f.registered && f.outstanding() == 1 && f.changes == 1 && f.staleRuns == 0 &&
		f.plannedAt > ts.lastChange && !f.ambiguous
	ts.mu.Unlock()
	var stopped bool
	switch {
	case f.series != nil:
		stopped = f.series.Stop()
	case f.task != nil:
		stopped = f.task.Cancel()
	default:
		stopped = f.handle.Stop()
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	f.changes--
	switch {
	case !f.hasHandle():
		ts.stopSeriesLocked(f, stopped, now)
	case stopped:
		f.endedArmings++
		ts.armed--
		if f.changes == 0 {
			ts.checkOverdueLocked(f)
		}
		if f.outstanding() < 0 && f.changes == 0 {
			ts.faultLocked(&ts.report.Duplicate, "function %v is stopped though it has begun", f)
		}
	case armed && f.changes == 0 && f.outstanding() == 1 && f.plannedAt > now && !f.inst.ended &&
		!ts.executorRejects:
		ts.faultLocked(&ts.report.Lost, "function %v, due at %v, is armed, and cannot be stopped",
			f, f.due)
	}
}
