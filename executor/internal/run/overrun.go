package run

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

// overrun is a run that has outlived its time-out.
type overrun struct {
	Info
	survived bool   // by its series
	streak   uint64 // failures of that in a row
	notable  bool
}

// Expired tells of a run that has outlived its time-out, and ends the task, unless that is a series
// which goes on: then the next run waits for the body. The owner does not end before that is told.
func (o *Owner) Expired(c *cell.Cell, pl *Plan) {
	run, overdue := o.overdue(c, pl)
	if !overdue {
		return
	}
	defer o.expired() // also when a handler ends the goroutine
	switch {
	case run.survived:
		defer o.tells()()
		o.runFailed(run.Info, pl.Late, run.streak, run.notable)
	case c.Fail(pl.Late):
		o.countLate(pl)
		if pl.Periodic() {
			defer o.tells()()
			o.seriesEnded(run.Info, pl.Late)
		}
	}
}

// overdue reports, once, that the run of c in progress has outlived its time-out, and counts that
// if the series goes on. The owner does not end before the caller has called expired. If the
// time-out comes late, for a run whose body has returned, the runner tells of it.
func (o *Owner) overdue(c *cell.Cell, pl *Plan) (run overrun, overdue bool) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if c.Phase() != cell.Running || !pl.Expire(c.Started, o.Clock.Now()) {
		return run, false
	}
	o.Settling++
	run.Info = o.DescribeLocked(c, pl)
	if run.survived = pl.Survives(false); run.survived {
		o.Counts.Failures++
		run.notable = pl.Streak.Fail()
		run.streak = pl.Streak.Len()
	}
	return run, true
}

// countLate counts a task that has ended by its time-out.
func (o *Owner) countLate(pl *Plan) {
	o.Lock.Lock()
	defer o.Lock.Unlock()
	if pl.Ends() {
		o.Counts.Completed++
	}
	o.Counts.Failures++
}

// expired ends what overdue has begun.
func (o *Owner) expired() {
	o.Lock.Lock()
	o.Settling--
	o.Lock.Unlock()
	o.Settled()
}

// overrunError is the error late of a run that has outlived its time-out, with what its body returned.
func overrunError(late, err error) error {
	if err == nil || err == context.DeadlineExceeded {
		return late
	}
	return cell.Joined(late, err)
}
