package run

import (
	"context"

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
	ended  int64 // when a run of a series ended

	Again  bool // the series would go on
	Abrupt bool // the body has not returned: it has panicked, or called Goexit
	Failed bool // the run has failed
	Done   bool // the run was the last: the task has ended by it
	told   bool // the run has exceeded its timeout, and that has been reported and counted
}

// Start begins a run of c, unless c has been cancelled, and reports whether it did. The lock is
// held.
func (x *Execution) Start(c *cell.Cell, pl *Plan, now int64) bool {
	if !c.Begin() {
		return false
	}
	// The owner may have read the clock before the last run of c ended, on another worker. The runs
	// of a series must not seem to overlap.
	if now <= pl.Ended() {
		now = x.Owner.Clock.Now()
	}
	// What is shown never precedes the planned time, even if now is an older reading.
	c.Started = max(now, c.When)
	if pl.Periodic() {
		c.When = pl.Start(c.When, now)
	}
	x.Task, x.Plan = c, pl
	return true
}

// Prepare forgets the run before. The next one has failed by Goexit until its body says otherwise:
// Goexit leaves no time to say so.
func (x *Execution) Prepare() {
	x.Err = future.ErrGoexit
	x.Over, x.Again, x.Failed, x.Done = false, false, false, false
	x.Abrupt, x.told = true, false
}

// Enter gives the run its context. A task that runs once is its own context. The runs of a series
// share a cell, so each gets a token, which tells it from the others.
func (x *Execution) Enter() {
	if x.Token = nil; !x.Plan.Periodic() {
		x.Ctx = x.Task.Enter(context.Background())
		return
	}
	x.Token = x.Tokens.Next()
	x.Ctx = x.Task.EnterAs(x.Token)
}

// Call calls the body. It does not return if the body calls Goexit.
func (x *Execution) Call() { x.Abrupt = !future.Invoke(x.Ctx, x.Task.Body, &x.Err) }

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
	if pl.Periodic() {
		x.ended = x.Owner.Clock.Now()
	}
	switch survives := pl.Periodic() && x.Err == nil || pl.Survives(x.Abrupt); {
	case !survives:
		if x.Done = c.Finish(x.Err); x.Done && !pl.Survives(false) {
			x.told = false // the timeout, about to settle it, has come too late
		}
	case pl.Last():
		x.Done = c.Finish(nil)
	default:
		x.Again = true
	}
}

// overran reports whether the run has exceeded its timeout. [Owner.Expired] has reported that
// already, or Tell will.
func (x *Execution) overran(late bool) bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	x.told = x.Plan.End()
	return late || x.told
}

// Tell reports what would be lost otherwise, and every panic: it is a mistake in the program,
// whoever holds the future. The error of a cancelled run is no failure.
func (x *Execution) Tell() {
	o, pl := x.Owner, x.Plan
	x.Failed = x.Err != nil && x.Task.Phase() != cell.Cancelled
	switch {
	case x.Err == nil && pl.Streak.Len() > 0: // only a series that goes on has a streak
		o.seriesRecovers(pl, x.describe())
	case !x.Failed && !x.Abrupt:
	case x.Failed && pl.Reports:
		if !x.told || x.Abrupt { // Expired has reported the overrun, but knew of no panic
			o.Report(x.describe(), x.Err)
		}
	case x.Failed && pl.Survives(x.Abrupt):
		x.tellGoesOn()
	case x.Done && pl.Periodic(): // its future has the error, but nothing will run any more
		o.seriesEnded(x.describe(), x.Err)
	case x.Abrupt:
		o.Report(x.describe(), x.Err)
	}
}

func (x *Execution) describe() Info { return x.Owner.Describe(x.Task, x.Plan) }

// tellGoesOn reports a failed run of a series that goes on, unless Expired has done so. A panic is
// reported in any case: Expired knew of the overrun only.
func (x *Execution) tellGoesOn() {
	streak := &x.Plan.Streak
	notable := !x.told && streak.Fail()
	notable = x.Abrupt && streak.Panic() || notable
	if !x.told || x.Abrupt {
		x.Owner.runFailed(x.describe(), x.Err, streak.Len(), notable)
	}
}

// Count counts the run, after Tell. The lock is held.
func (x *Execution) Count() {
	counts := x.Owner.Counts
	counts.Runs++
	if x.Failed && !x.told {
		counts.Failures++
	}
	if x.Done && x.Plan.Ends() {
		counts.Completed++
	}
}

// Forget lets go of the task, so that an idle worker keeps nothing of it in memory. The lock is
// held.
func (x *Execution) Forget() {
	x.Task, x.Plan, x.Ctx, x.Err, x.Token = nil, nil, nil, nil, nil
}

// Repeats reports whether c, whose run has been counted, gets another run, and when that is due.
// The owner says with may whether it lets series go on. If Repeats returns false although Again is
// set, the series is refused, and [Owner.Refuse] has to settle it, without the lock. The lock is
// held.
func (x *Execution) Repeats(c *cell.Cell, pl *Plan, may bool) (when int64, repeats bool) {
	// Reset comes last: it ends the run, which Refuse must do otherwise. It fails if the task was
	// cancelled during the run.
	if !x.Again || !may || pl.Counted() || !c.Reset() {
		return 0, false
	}
	return pl.Next(x.ended), true
}

// Refuse settles a series that would have gone on, had it not been cancelled during its run, or the
// owner shut down. It reports whether the series was dropped by the owner, which has to count that.
func (o *Owner) Refuse(c *cell.Cell, pl *Plan) (dropped bool) {
	delay.At(delay.SeriesRefused)
	dropped = c.Drop()
	c.Finish(nil) // settles nothing; it ends the run that Begin has started
	return dropped && pl.Ends()
}
