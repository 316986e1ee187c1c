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

	Again  bool // the series would go on
	Abrupt bool // the body has not returned: it has panicked, or called Goexit
	Failed bool // the run has failed
	Done   bool // the run was the last: the task has ended by it
	told   bool // the run has failed by its timeout, and that has been reported and counted

	overrun bool // the run, or attempt, has exceeded its timeout
	noted   bool // and observers know of it, and it is counted

	// How often the clocks had parted when what follows the run was planned.
	partings uint64

	// Aside, if set, says why a run is begun only to be ended without its body; see overtime.go.
	Aside Skip

	skip  Skip  // why the body is not to be called
	stuck bool  // the calendar has failed, so no other run can be planned
	tries bool  // the attempt has failed, and another is to follow
	retry int64 // when that is due
}

// Skip says why a run that has been taken does not call its body.
type Skip uint8

const (
	noSkip Skip = iota
	tardy       // it begins too late to be of use
	beyond      // it was planned for after the end of the series
	early       // the wall clock, which has been set, does not show its time yet
	lost        // its calendar has failed
)

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
	// The reading may be older than the time that has come since. What is shown is what was.
	if now < c.When {
		now = x.Owner.Clock.Now()
	}
	c.Started = now
	x.Task, x.Plan, x.skip = c, pl, noSkip
	pl.overtime.stop()
	x.Due = max(pl.Planned(pl.DueAt(c)), pl.noticed)
	if pl.repeats() || pl.BeginWithin > 0 || pl.Dates != nil {
		x.startRepeated(c, pl, now)
	}
	if x.Owner.Watched {
		x.watch(c, pl)
	}
	return true
}

// Bare begins the run of a task that has no options, and so is never skipped.
func (x *Execution) Bare(c *cell.Cell, pl *Plan) { x.Task, x.Plan, x.skip = c, pl, noSkip }

// startRepeated accounts for the run in the state of a task that is more than one call of a body.
// The lock is held.
func (x *Execution) startRepeated(c *cell.Cell, pl *Plan, now int64) {
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
	case pl.onCalendar() && !pl.ExtraNext():
	case pl.TooLate(c.When, now):
		x.skip = tardy
	}
	switch {
	case !pl.Periodic():
	case x.skip == tardy:
		c.When = pl.Lapse(c.When, now)
	default:
		c.When = pl.Start(c.When, now)
	}
}

// Skip reports whether the body is not to be called. It is called after Prepare, without the lock.
func (x *Execution) Skip() bool {
	if x.skip == noSkip && x.Plan.onCalendar() {
		x.reckon()
	}
	switch x.skip {
	case noSkip:
		return false
	case tardy:
		x.Err = x.Plan.overtime.err
		x.expires()
	case beyond, early:
		x.Err = nil
	}
	x.Abrupt = false
	return true
}

// Skipped is Skip for what follows.
func (x *Execution) Skipped() bool { return x.skip != noSkip }

// Prepare forgets the run before. The next one has failed by Goexit until its body says otherwise:
// Goexit leaves no time to say so.
func (x *Execution) Prepare() {
	x.Err = future.ErrGoexit
	x.Over, x.Again, x.Failed, x.Done = false, false, false, false
	x.Abrupt, x.told, x.tries, x.stuck = true, false, false, false
	x.overrun, x.noted = false, false
}

// Enter gives the run its context. A task that runs once is its own context. The runs of a series,
// and several attempts, share a cell, so each gets a token, which tells it from the others.
func (x *Execution) Enter() {
	if x.Token = nil; !x.Plan.repeats() {
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
	if pl.repeats() || x.Owner.Tap != nil || pl.Expected() {
		x.Ended = x.Owner.Clock.Now()
	}
	if x.Err != nil && x.skip == noSkip && pl.Retry.Attempts > 1 && x.triesAgain() {
		return
	}
	x.conclude()
}

// conclude settles the future, or says that the series goes on.
func (x *Execution) conclude() {
	if x.Plan.onCalendar() && (x.skip == noSkip || x.skip == tardy) {
		x.lookAhead()
	}
	x.settle()
}

// settle is conclude for a run after which it is known when the next is planned.
func (x *Execution) settle() {
	c, pl := x.Task, x.Plan
	survives := pl.Periodic() && (x.Err == nil || x.skip == tardy) || pl.Survives(x.Abrupt)
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
	case pl.Bounded() && x.isLast():
		x.Done = c.FinishQuietly(nil)
	default:
		x.Again = true
		return
	}
	delay.At(delay.CellSettled)
	c.Wake() // last, as those who watch may end the goroutine
}

// isLast reports whether the series ends with this run.
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
	case x.told: // then it has been counted
		return x.Plan.Streak.Len()
	}
	return x.Plan.Streak.Len() + 1
}

// overran reports whether the run has exceeded its timeout. [Owner.Expired] has told of that
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
// it one before that, which for a series that goes on is at once.
func (x *Execution) Tell() {
	o, pl := x.Owner, x.Plan
	if x.tries || x.skip == early {
		return // the run is not over, or has not begun
	}
	x.Failed = x.Err != nil && (x.Task.Phase() != cell.Cancelled || x.told && pl.Survives(false))
	if pl.PauseAfter > 0 {
		defer x.pause() // last, as the function may end the series
	}
	if pl.DelayBy != nil {
		defer x.planByFunction() // also if a handler ends the goroutine
	}
	switch {
	case x.Err == nil && pl.Streak.Len() > 0: // only a series that goes on has a streak
		o.seriesRecovers(pl, x.describe())
	case !x.Failed && !x.Abrupt:
	case x.Failed && pl.Reports:
		if !x.told || x.Abrupt { // Expired has reported the overrun, but knew of no panic
			o.Report(x.describe(), x.Err)
		}
	case x.Failed && !x.stuck && (pl.Survives(x.Abrupt) || x.Again):
		x.tellGoesOn()
	case x.Done && pl.Periodic(): // its future has the error, but nothing will run any more
		o.Told(News{What: TaskFailed, Task: x.Task, Plan: pl})
		o.seriesEnded(x.describe(), x.Err)
	case x.Abrupt:
		o.Report(x.describe(), x.Err)
	}
}

// describe describes the run in progress. Of a run that is watched it is done once.
func (x *Execution) describe() Info {
	if !x.Owner.Watched {
		return x.numbered(x.Owner.Describe(x.Task, x.Plan))
	}
	if x.info.Number == 0 {
		x.info = x.numbered(x.Owner.Describe(x.Task, x.Plan))
	}
	return x.info
}

// numbered gives an expired run the number that it would have had: none has that yet.
func (x *Execution) numbered(info Info) Info {
	if x.skip == tardy && x.Plan.Periodic() {
		info.Number = x.Plan.Runs + 1
	}
	return info
}

// Info describes the run in progress.
func (x *Execution) Info() Info { return x.describe() }

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

// pause pauses the series if it goes on, but has failed too often in a row.
func (x *Execution) pause() {
	if !x.Failed || !x.Again || x.stuck || !x.pauses() {
		return
	}
	defer x.Owner.Told(News{What: TaskPaused, Task: x.Task, Plan: x.Plan})
	x.Owner.seriesPaused(x.describe(), x.Err, x.Plan.Streak.Len())
}

// pauses reports whether the series pauses because of its failures.
func (x *Execution) pauses() bool {
	x.Owner.Lock.Lock()
	defer x.Owner.Lock.Unlock()
	return x.mayGoOnLocked() && x.Plan.Pauses(x.Plan.Streak.Len())
}

// mayGoOnLocked reports whether the task may wait for another run, or attempt: it has not ended
// meanwhile, and the owner lets such tasks go on. The lock is held.
func (x *Execution) mayGoOnLocked() bool {
	return x.Task.Phase() == cell.Running && !x.Plan.Counted() && x.Owner.MayRepeat(x.Plan)
}

// Count counts the run, after Tell. The lock is held. If a failed attempt was to be followed by
// another, and the owner has been shut down since, or the task has been cancelled, it was the last.
func (x *Execution) Count() {
	counts := x.Owner.Counts
	if x.tries && !x.mayGoOnLocked() {
		x.tries = false
		if pl := x.Plan; !pl.Periodic() { // from here on it cannot be cancelled; Refuse tells of its end
			pl.final = x.Task.FinishQuietly(pl.failed)
		}
		x.Failed = x.Task.Phase() != cell.Cancelled
	}
	if tap := x.Owner.ends; tap != nil && (x.skip == noSkip || x.skip == tardy) {
		tap.EndsLocked(x)
	}
	switch {
	case x.skip == tardy:
		counts.Expired++
		if pl := x.Plan; !pl.Periodic() {
			pl.overtime.over = true
		}
	case x.skip == noSkip:
		counts.Runs++
		x.countOutcome(counts)
	}
	if x.Done && x.Plan.Ends() {
		counts.Completed++
	}
}

// countOutcome counts a body that has ended as failed, or as tried again, and keeps what
// [Owner.Latest] returns. The lock is held.
func (x *Execution) countOutcome(counts *Counts) {
	if x.overrun && !x.noted {
		counts.TimedOut++
	}
	switch {
	case x.tries:
		counts.Retries++
		return
	case x.Failed && !x.told:
		counts.Failures++
	}
	if pl := x.Plan; pl.Periodic() {
		if pl.latest == nil {
			pl.latest = new(Record)
		}
		*pl.latest = x.RecordLocked()
	}
}

// Forget lets go of the task, so that an idle worker keeps nothing of it in memory. The lock is
// held.
func (x *Execution) Forget() {
	x.Task, x.Plan, x.Ctx, x.Err, x.Token = nil, nil, nil, nil, nil
}

// Repeats reports whether c, whose run has been counted, gets another run or attempt, and when that
// is due. The owner says with may whether it lets tasks of this kind go on. If Repeats returns
// false although Again is set, the task is refused, and [Owner.Refuse] has to settle it, without
// the lock. The lock is held.
func (x *Execution) Repeats(c *cell.Cell, pl *Plan, may bool) (when int64, repeats bool) {
	// Reset comes last: it ends the run, which Refuse must do otherwise. It fails if the task was
	// cancelled during the run.
	if !x.Again || !may || pl.Counted() || !x.release(c, pl) {
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
