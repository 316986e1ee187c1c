package run

import (
	"context"
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Plan is what a pool or a loop knows of a task besides its cell: its options and, if it is
// periodic, the state of the series. Tasks without options share one plan, so for them it costs
// nothing.
//
// The owner's lock guards the fields of the series.
type Plan struct {
	cell.Plan
	series.Series

	latest  *Record // the last run of a series; nil before its end
	noticed int64   // when the task last followed a wall clock that was set
	failed  error   // of the last attempt, from when another is to follow until that begins

	overtime *overtime // of a task that may wait for a limited time; else nil

	place   int             // in the register, plus one; 0 if it is not there
	Labels  context.Context // has those of a run's goroutine; nil if they are the idle worker's
	Kept    any             // what the sight keeps of the task; see [Tap]
	Took    int64           // how long runs have taken lately, in nanoseconds; 0 if there was none
	Reports bool            // the task has no future, so its failures go to the error handler
	LeftOut bool            // its one run was skipped; set before the task is settled

	// These two do not change.
	special  bool // see special.go
	calendar bool // a series on a calendar

	final   bool        // the last attempt has settled the task; see Count
	counted atomic.Bool // the end of the series has been counted; see Ends
}

// Cells returns the part of the plan that the cells of its tasks point to.
func (pl *Plan) Cells() *cell.Plan { return &pl.Plan }

// Ends is called when the task has ended, and reports whether that still has to be counted. A
// series may fail or be cancelled in the same run in which it is handed back, and counts once. A
// task that runs once ends once by itself; it must not be marked here, as it may share its plan.
func (pl *Plan) Ends() bool { return !pl.Periodic() || pl.counted.CompareAndSwap(false, true) }

// Counted reports whether the end of a series has been counted. Its last run may still be in
// progress.
func (pl *Plan) Counted() bool { return pl.counted.Load() }

// HandedBack reports whether the task is a series that was handed back during the run in progress.
// The caller has just settled it. Whoever else had done so would have counted its end before, so
// only a hand-back can have.
//
// Until the future of such a series is settled, its end is counted, but nobody is told of it; then
// observers are told that it is dropped, however the run has ended, by whoever has settled it.
func (pl *Plan) HandedBack() bool { return pl.Periodic() && pl.Counted() }

// Simple reports whether nothing is asked for the task but to run once: whatever its name and values
// are, it waits for its time alone.
func (pl *Plan) Simple() bool { return !pl.special && pl.Period == 0 && pl.Jitter == 0 }

// DueAt returns what c waits for in time: its own time or, between two attempts of a run, that of
// the next attempt. The owner's lock is held.
func (pl *Plan) DueAt(c *cell.Cell) int64 {
	if at, waits := pl.NextAttempt(); waits {
		return at
	}
	return c.When
}

// LastEnd returns when the last run of a series ended, or 0; what has expired is none.
func (pl *Plan) LastEnd() int64 {
	if pl.latest == nil {
		return 0
	}
	return pl.latest.Ended
}

// Expected reports whether anything is expected of the tasks.
func (pl *Plan) Expected() bool { return pl.SuccessWithin > 0 || pl.StartWithin > 0 }

// missed returns how many periods the run in progress has missed. An extra run stands for none.
func (pl *Plan) missed() uint64 {
	if pl.Extra() {
		return 0
	}
	return pl.Missed
}

// attempt returns the number of the attempt in progress, or 0 for a task without Retry.
func (pl *Plan) attempt() uint64 {
	if pl.Retry.Attempts < 2 {
		return pl.Retry.Attempts // which nobody counts
	}
	return pl.Attempt()
}

// limited reports whether the task may wait for a limited time.
func (pl *Plan) limited() bool {
	return pl.BeginWithin > 0 || !pl.Options.Until.IsZero() && pl.Periodic()
}
