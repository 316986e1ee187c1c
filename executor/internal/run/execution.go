package run

import (
	"context"
	"runtime/trace"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Execution is one run of a task after another, each on the goroutine that takes it through its
// states. The comment of the package lists them.
type Execution struct {
	Owner *Owner

	// The owner's lock guards these; only the goroutine of the run writes them, so it may read them
	// without the lock.
	Task *cell.Cell // running, or run and not counted yet
	Plan *Plan      // of the task

	// These belong to the goroutine of the run.
	Ctx    context.Context
	Token  *cell.Token // the context, if the cell runs repeatedly
	Tokens cell.Tokens // a supply for the next runs
	Err    error
	Over   bool  // the body has ended
	Ended  int64 // when a run ended, if something wants to know; of a series always

	// Of the run in progress, for the tap. Meant is when the goroutine had meant to wake up before
	// it took the task, or 0; Freed is from when on its serial executor let the task begin. The
	// owner sets them before Start.
	Meant, Freed int64
	Due          int64 // when the run should have begun
	Astray       int64 // for how long the wall clock has kept it from that
	info         Info

	// These are the tap's, see there.
	Kept   any    // what it keeps of the run
	Remark string // what the execution tracer is to log of it; empty for nothing

	Again   bool // the series would go on
	Abrupt  bool // the body has not returned: it has panicked, or called Goexit
	Failed  bool // the run has failed
	Skipped bool // the body has said that it left its work out; then the run has not failed
	Done    bool // the run was the last: the task has ended by it
	told    bool // the run has failed by its timeout, and that has been reported and counted

	overrun bool // the run, or attempt, has exceeded its timeout
	noted   bool // and observers know of it, and it is counted

	// How often the clocks had parted when what follows the run was planned.
	partings uint64

	// Aside, if set, says why a run is begun only to be ended without its body; see waits.go.
	Aside Skip

	skip  Skip  // why the body is not to be called
	stuck bool  // the calendar has failed, so no other run can be planned
	tries bool  // the attempt has failed, and another is to follow
	retry int64 // when that is due
}

// Start begins a run of c, unless c has been cancelled, and reports whether it did. The lock is
// held.
func (x *Execution) Start(c *cell.Cell, pl *Plan, now int64) bool {
	if !c.Begin() {
		return false
	}
	// The owner may have read the clock before the last run of c ended, on another worker: the runs
	// of a series must not seem to overlap. The reading may also be older than the time that has
	// come since: what is shown is what was.
	if now <= pl.Ended || now < c.When {
		now = x.Owner.Clock.Now()
	}
	c.Started = now
	x.Task, x.Plan, x.skip, x.Due = c, pl, noSkip, c.When
	switch {
	case pl.special:
		x.startSpecial(c, pl, now)
	case pl.Period != 0:
		c.When = pl.Start(c.When, now)
	}
	if x.Owner.Watched {
		x.watch(c, pl)
	}
	return true
}

// Bare begins the run of a task that has no options, and so is never skipped.
func (x *Execution) Bare(c *cell.Cell, pl *Plan) { x.Task, x.Plan, x.skip = c, pl, noSkip }

// Prepare forgets the run before, and reports whether the body is to be called. The run has failed
// by Goexit until its body says otherwise: Goexit leaves no time to say so. The lock is not held.
func (x *Execution) Prepare() (calls bool) {
	x.Err = future.ErrGoexit
	x.Over, x.Again, x.Failed, x.Skipped, x.Done = false, false, false, false, false
	x.Abrupt, x.told, x.tries, x.stuck = true, false, false, false
	x.overrun, x.noted = false, false
	if x.skip == noSkip && x.Plan.calendar {
		x.reckon()
	}
	switch x.skip {
	case noSkip:
		return true
	case tardy:
		x.Err = x.Plan.overtime.err
		x.expires()
	case beyond, early:
		x.Err = nil
	}
	x.Abrupt = false
	return false
}

// Enter gives the run its context. A task that runs once is its own context. The runs of a series,
// and several attempts, share a cell, so each gets a token, which tells it from the others.
func (x *Execution) Enter() {
	if x.Token = nil; x.Plan.Period == 0 && x.Plan.Retry.Attempts < 2 {
		x.Ctx = x.Task.Enter(context.Background())
		return
	}
	x.Token = x.Tokens.Next()
	x.Ctx = x.Task.EnterAs(x.Token)
}

// CallUnlessSettled is Call after hooks and observers, which may have taken their time, or
// cancelled the task.
func (x *Execution) CallUnlessSettled() {
	switch x.Task.Phase() {
	case cell.Running:
		x.Call()
	case cell.Failed:
		x.Err, x.Abrupt = x.Plan.Late, false
	default:
		x.Err, x.Abrupt = future.ErrCancelled, false
	}
}

// Call calls the body. It does not return if the body calls Goexit.
func (x *Execution) Call() {
	if x.Plan.Within != nil && x.isLate() {
		x.Err, x.Abrupt = future.ErrCancelled, false
		return
	}
	if trace.IsEnabled() {
		x.callTraced()
		return
	}
	x.Abrupt = !future.Invoke(x.Ctx, x.Task.Body, &x.Err)
}

// Conclude ends the context of the run, and settles the future if this was the last run.
func (x *Execution) Conclude() {
	c, pl := x.Task, x.Plan
	if x.Token != nil {
		x.Token.End()
	}
	// Exit comes first: once the context has ended, the timeout cannot come any more.
	if late := c.Exit(); pl.Timeout > 0 && x.overran(late) {
		x.Err = overrunError(pl.Late, x.Err)
	}
	if pl.Period != 0 || pl.special || x.Owner.Tap != nil {
		x.Ended = x.Owner.Clock.Now()
	}
	if x.Err != nil && x.skip == noSkip {
		x.consult(x.Judge)
		if pl.special && !x.Skipped && x.triesAgain() {
			return
		}
	}
	if pl.calendar {
		x.lookAhead()
	}
	x.settle()
}

// settle settles the future, or says that the task goes on. It is known when the next run is
// planned.
func (x *Execution) settle() {
	c, pl := x.Task, x.Plan
	survives := pl.Period != 0 && (x.Err == nil || x.Skipped || x.skip == tardy) ||
		pl.Survives(x.Abrupt)
	switch {
	case x.skip == beyond:
		x.Done = c.FinishQuietly(nil)
	case x.skip == early:
		x.Again = true
		return
	case !survives || x.stuck:
		if x.Done = c.FinishQuietly(x.Err); x.Done && !pl.Survives(false) {
			x.told = false // the timeout, about to settle it, has come too late
		}
	case pl.special && pl.Bounded() && x.isLast():
		x.Done = c.FinishQuietly(nil)
	default:
		x.Again = true
		return
	}
	delay.At(delay.CellSettled)
	c.Wake() // last, as those who watch may end the goroutine
}

// overran reports whether the run has exceeded its timeout. [Overruns.Expired] has told of that
// already, or Finish and Count will. If it was an attempt that another may follow, Expired has left
// open whether the run has failed.
func (x *Execution) overran(late bool) bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	x.noted = x.Plan.End()
	x.told = x.noted && !x.Plan.MayRetry()
	x.overrun = late || x.noted
	return x.overrun
}

// Tell reports what would be lost otherwise, and every panic: it is a mistake in the program,
// whoever holds the future. The error of a cancelled run is no failure, unless its timeout had made
// it one before that, which for a series that goes on is at once. That of a skipped run is none
// either, and as little a success: the streak stays as it is.
func (x *Execution) Tell() {
	o, pl := x.Owner, x.Plan
	if x.tries || x.skip == early {
		return // the run is not over, or has not begun
	}
	x.Failed = x.Err != nil && !x.Skipped &&
		(x.Task.Phase() != cell.Cancelled || x.told && pl.Survives(false))
	if pl.special { // these come last, also if a handler ends the goroutine
		defer x.follow() // as it may make others run
		defer x.pause()  // as the function may end the series
		defer x.planByFunction()
		defer x.keepRun()
	}
	switch {
	case x.Err == nil && pl.Streak.Length > 0: // only a series that goes on has a streak
		o.seriesRecovers(x.Info(), pl.Streak.Length)
		pl.Streak.End()
	case !x.Failed && !x.Abrupt:
	case x.Failed && pl.Reports:
		if !x.told || x.Abrupt { // Expired has reported the overrun, but knew of no panic
			o.Report(x.Info(), x.Err)
		}
	case x.Failed && !x.stuck && (pl.Survives(x.Abrupt) || x.Again):
		x.tellGoesOn()
	case x.Done && pl.Periodic(): // its future has the error, but nothing will run any more
		o.Told(News{What: TaskFailed, Task: x.Task, Plan: pl})
		o.seriesEnded(x.Info(), x.Err)
	case x.Abrupt:
		o.Report(x.Info(), x.Err)
	}
}

// tellGoesOn reports a failed run of a series that goes on, unless Expired has done so. A panic is
// reported in any case: Expired knew of the overrun only.
func (x *Execution) tellGoesOn() {
	streak := &x.Plan.Streak
	notable := !x.told && streak.Fail()
	notable = x.Abrupt && streak.Panic() || notable
	if !x.told || x.Abrupt {
		x.Owner.runFailed(x.Info(), x.Err, streak.Length, notable)
	}
}

// Count counts the run, after Tell, and lets go of the task, so that an idle worker keeps nothing
// of it in memory. The lock is held.
func (x *Execution) Count() {
	pl, counts := x.Plan, x.Owner.Counts
	if x.tries && !x.mayGoOnLocked() {
		x.stopTrying()
	}
	if tap := x.Owner.ends; tap != nil && (x.skip == noSkip || x.skip == tardy) {
		tap.EndsLocked(x)
	}
	switch {
	case x.skip == tardy:
		counts.Expired++
		if pl.Period == 0 {
			pl.overtime.over = true
		}
	case x.skip == noSkip:
		counts.Runs++
		if x.overrun && !x.noted {
			counts.TimedOut++
		}
		switch {
		case x.tries:
			counts.Retries++
		case x.Skipped:
			counts.Skipped++
		case x.Failed && !x.told:
			counts.Failures++
		}
		if pl.Period != 0 && !x.tries {
			if pl.latest == nil {
				pl.latest = new(Record)
			}
			*pl.latest = x.RecordLocked()
		}
	}
	if x.Done && pl.Ends() {
		counts.Completed++
	}
	x.Task, x.Plan, x.Ctx, x.Err, x.Token = nil, nil, nil, nil, nil
}

// Repeats reports whether c, whose run has been counted, gets another run or attempt, and when that
// is due. The owner says with may whether it lets tasks of this kind go on. If Repeats returns
// false although Again is set, the task is refused, and [Endings.Refuse] has to settle it, without
// the lock. The lock is held.
func (x *Execution) Repeats(c *cell.Cell, pl *Plan, may bool) (when int64, repeats bool) {
	// Reset comes last: it ends the run, which Refuse must do otherwise. It fails if the task was
	// cancelled during the run.
	if !x.Again || !may || pl.counted.Load() {
		return 0, false
	}
	if pl.special {
		return x.repeatsSpecial(c, pl)
	}
	if !c.Reset() {
		return 0, false
	}
	return pl.Next(x.Ended), true
}
