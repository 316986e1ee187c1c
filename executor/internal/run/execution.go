package run

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Execution is one run of a task after another, each on the goroutine that goes through it. The states
// of a run are in the comment of the package.
type Execution struct {
	Owner *Owner

	// The owner's lock guards them; only the goroutine of the run writes them.
	Task *cell.Cell // being run, or run and not accounted for yet
	Plan *Plan      // of the task

	// About the task; of the goroutine of the run.
	Ctx    context.Context
	Token  *cell.Token // the context, if the cell is run again and again
	Tokens cell.Tokens // for the next runs
	Err    error
	Over   bool  // the body has ended
	ended  int64 // when a run of a series ended

	Again  bool // the series would go on
	Abrupt bool // the body has not returned: it has panicked, or called Goexit
	Failed bool // the run has failed
	Done   bool // the run was the last: the task has ended by it
	told   bool // the run has outlived its time-out, and that has been told and counted
}

// Start begins a run of c, unless it has been cancelled. The owner has read the clock, perhaps before the
// last run of c ended. The lock is held.
func (x *Execution) Start(c *cell.Cell, pl *Plan, now int64) bool {
	if !c.Begin() {
		return false
	}
	if now <= pl.Ended() {
		now = x.Owner.Clock.Now()
	}
	c.Started = max(now, c.When)
	if pl.Periodic() {
		c.When = pl.Start(c.When, now)
	}
	x.Task, x.Plan = c, pl
	return true
}

// Prepare forgets the run before: the next has failed until its body says otherwise.
func (x *Execution) Prepare() {
	x.Err = future.ErrGoexit
	x.Over, x.Again, x.Failed, x.Done = false, false, false, false
	x.Abrupt, x.told = true, false
}

// Enter gives the run its context.
func (x *Execution) Enter() {
	if x.Token = nil; !x.Plan.Periodic() {
		x.Ctx = x.Task.Enter(context.Background())
		return
	}
	x.Token = x.Tokens.Next()
	x.Ctx = x.Task.EnterAs(x.Token)
}

// Call calls the body.
func (x *Execution) Call() { x.Abrupt = !future.Invoke(x.Ctx, x.Task.Body, &x.Err) }

// Conclude ends the context of the run, and settles the future if this was the last.
func (x *Execution) Conclude() {
	c, pl := x.Task, x.Plan
	if x.Token != nil {
		x.Token.End()
	}
	if late := c.Exit(); pl.Timeout > 0 && x.overran(late) {
		x.Err = overrunError(pl.Late, x.Err)
	}
	if pl.Periodic() {
		x.ended = x.Owner.Clock.Now()
	}
	switch survives := pl.Periodic() && x.Err == nil || pl.Survives(x.Abrupt); {
	case !survives:
		if x.Done = c.Finish(x.Err); x.Done && !pl.Survives(false) {
			x.told = false // the time-out was about to settle it, and has come too late
		}
	case pl.Last():
		x.Done = c.Finish(nil)
	default:
		x.Again = true
	}
}

// overran reports whether the run has outlived its time-out, which is told by [Owner.Expired] before
// this, or by Tell.
func (x *Execution) overran(late bool) bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	x.told = x.Plan.End()
	return late || x.told
}

// Tell tells what would be lost otherwise, and every panic. What a cancelled run returns is no failure.
func (x *Execution) Tell() {
	o, pl := x.Owner, x.Plan
	x.Failed = x.Err != nil && x.Task.Phase() != cell.Cancelled
	switch {
	case x.Err == nil && pl.Streak.Len() > 0:
		o.seriesRecovers(pl, x.describe())
	case !x.Failed && !x.Abrupt:
	case x.Failed && pl.Reports:
		o.Report(x.describe(), x.Err)
	case x.Failed && pl.Survives(x.Abrupt):
		x.tellGoesOn()
	case x.Done && pl.Periodic():
		o.seriesEnded(x.describe(), x.Err)
	case x.Abrupt:
		o.Report(x.describe(), x.Err)
	}
}

func (x *Execution) describe() Info { return x.Owner.Describe(x.Task, x.Plan) }

// tellGoesOn tells of a failed run of a series that goes on, unless that is known.
func (x *Execution) tellGoesOn() {
	streak := &x.Plan.Streak
	notable := !x.told && streak.Fail()
	notable = x.Abrupt && streak.Panic() || notable
	if !x.told || x.Abrupt {
		x.Owner.runFailed(x.describe(), x.Err, streak.Len(), notable)
	}
}

// Count counts the run, which has been told. The lock is held.
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

// Forget ends the run, so that nothing of the task is kept. The lock is held.
func (x *Execution) Forget() {
	x.Task, x.Plan, x.Ctx, x.Err, x.Token = nil, nil, nil, nil, nil
}

// Repeats reports whether c, whose run has been counted, gets another, and when that is due.
// Otherwise a series that would go on by itself, see Again, is refused: [Owner.Refuse] has to settle
// it, without the lock. The owner says whether it lets series go on. The lock is held.
func (x *Execution) Repeats(c *cell.Cell, pl *Plan, may bool) (when int64, repeats bool) {
	if !x.Again || !may || pl.Counted() || !c.Reset() {
		return 0, false
	}
	return pl.Next(x.ended), true
}

// Refuse settles a series that would go on, had it not been cancelled during its run, or the owner shut
// down. It reports whether it has been dropped by that, which the owner counts.
func (o *Owner) Refuse(c *cell.Cell, pl *Plan) (dropped bool) {
	delay.At(delay.SeriesRefused)
	dropped = c.Drop()
	c.Finish(nil)
	return dropped && pl.Ends()
}
