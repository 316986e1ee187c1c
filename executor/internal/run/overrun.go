package run

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// overrun describes a run that has exceeded its timeout.
type overrun struct {
	Info
	tries    bool   // another attempt may follow
	survived bool   // the series goes on
	streak   uint64 // failures of the series in a row
	notable  bool
}

// Overruns end, or report, the runs of an owner that have exceeded their timeouts.
type Overruns struct {
	*Env
	settling *Settling
	views    *Views
}

// Expired reports that a run has exceeded its timeout, and ends the task, unless it is a series
// that goes on: then the next run waits for the body to return. So does the next attempt, if there
// is one left; whether the run has failed is not known before. The owner does not end before
// Expired returns.
func (ov *Overruns) Expired(c *cell.Cell, pl *Plan) {
	run, overdue := ov.overdue(c, pl)
	if !overdue {
		return
	}
	defer ov.settling.EndSettling()
	defer ov.endOverdue(c, pl, &run) // also if an observer ends the goroutine
	ov.Told(News{What: TaskOverran, Task: c, Plan: pl, Run: run.Info})
}

// endOverdue reports the overrun of a series that goes on, and ends any other task.
func (ov *Overruns) endOverdue(c *cell.Cell, pl *Plan, run *overrun) {
	switch {
	case run.tries:
		if run.notable {
			ov.attemptOverran(run.Info, pl.Late)
		}
		return
	case run.survived:
		ov.runFailed(run.Info, pl.Late, run.streak, run.notable)
		return
	}
	if !c.FailQuietly(pl.Late) { // it was cancelled, or its body returned, just now
		return
	}
	handedBack := ov.countLate(pl)
	switch {
	case pl.Periodic():
		ov.Told(News{What: TaskFailed, Task: c, Plan: pl})
		defer ov.seriesEnded(run.Info, pl.Late)
	case pl.Reports: // no future shows it, and the body may never return
		defer ov.Report(run.Info, pl.Late)
	}
	if handedBack {
		defer ov.dropped(c, pl, pl.Late)
	}
	delay.At(delay.CellSettled)
	c.Wake()
}

// overdue reports, once, that the run of c in progress has exceeded its timeout, and counts that,
// and the failure if the series goes on. The owner does not end before the caller has called
// EndSettling. If the timeout comes late, after the body has returned, the goroutine of the run
// reports it instead.
func (ov *Overruns) overdue(c *cell.Cell, pl *Plan) (run overrun, overdue bool) {
	ov.Lock.Lock()
	defer ov.Lock.Unlock()
	// The cell may have been settled meanwhile, or be waiting for its next run.
	if c.Phase() != cell.Running || !pl.Expire(c.Started, ov.Clock.Now()) {
		return run, false
	}
	ov.settling.SettlesLocked()
	ov.Counts.TimedOut++
	run.Info = ov.views.DescribeLocked(c, pl)
	switch {
	case pl.MayRetry():
		run.tries, run.notable = true, pl.Streak.NextNotable()
	case pl.Survives(false):
		run.survived = true
		ov.Counts.Failures++
		run.notable = pl.Streak.Fail()
		run.streak = pl.Streak.Length
	}
	return run, true
}

// countLate counts a task that was ended by its timeout, and reports whether it had been counted
// before, as it was handed back.
func (ov *Overruns) countLate(pl *Plan) (handedBack bool) {
	ov.Lock.Lock()
	defer ov.Lock.Unlock()
	if handedBack = !pl.Ends(); !handedBack {
		ov.Counts.Completed++
	}
	ov.Counts.Failures++
	return handedBack
}

// overrunError returns late, the error of a run that has exceeded its timeout, joined with what its
// body returned. A body that merely passes on that its context has ended, or why, adds nothing.
func overrunError(late, err error) error {
	if err == nil || err == context.DeadlineExceeded || err == late {
		return late
	}
	return cell.Joined(late, err)
}
