package run

import (
	"errors"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// watch notes the start of a run, and tells the tap of it, if it is known by now to begin. The lock
// is held.
func (x *Execution) watch(c *cell.Cell, pl *Plan) {
	x.info.Number, x.Astray, x.Remark = 0, 0, ""
	if x.skip == noSkip && x.Owner.described {
		x.info = x.Owner.DescribeLocked(c, pl)
	}
	if x.Owner.Tap == nil || x.skip != noSkip && x.skip != tardy {
		return
	}
	if x.skip == noSkip || !pl.calendar {
		x.measureClock(c, pl)
	}
	if x.skip == noSkip && !pl.calendar { // else reckon tells it, or expires
		x.Owner.Tap.BeginsLocked(x)
	}
}

// measureClock finds out how late the wall clock has made the run. The lock is held.
func (x *Execution) measureClock(c *cell.Cell, pl *Plan) {
	late := c.Started - x.Due
	if pl.Dates != nil && !pl.Extra() && pl.Attempt() <= 1 && pl.Jitter == 0 {
		if m := pl.Dates.Slot(); !m.IsZero() {
			if x.info.Number == 0 {
				x.info = x.Owner.DescribeLocked(c, pl)
			}
			x.Astray = max(int64(x.info.Started.Sub(m))-late, 0)
		}
	}
}

// expires tells the tap that the run has expired. The lock is not held.
func (x *Execution) expires() {
	if x.Owner.Tap != nil {
		x.Owner.Lock.Lock()
		defer x.Owner.Lock.Unlock()
		x.beginsLocked()
	}
}

// Begin tells the tap that the run has begun, before the hooks and the body.
func (x *Execution) Begin() {
	if tap := x.Owner.Tap; tap != nil {
		tap.Began(x)
	}
}

// Finish tells the tap that the run is over, after the hooks. It is called even if a hook or
// handler ends the goroutine.
func (x *Execution) Finish() {
	if tap := x.Owner.Tap; tap != nil && x.skip != early {
		tap.Ended(x)
	}
}

// Began reports whether the run has begun: it is none that was ended without its body.
func (x *Execution) Began() bool { return x.skip == noSkip }

// Expired reports whether the run has come too late to begin.
func (x *Execution) Expired() bool { return x.skip == tardy }

// IsAside reports whether the run is ended without its body while the workers are busy with others.
func (x *Execution) IsAside() bool { return x.Aside != noSkip }

// Tries reports whether the attempt has failed and another is to follow.
func (x *Execution) Tries() bool { return x.tries }

// Overdue reports whether the run, or attempt, has exceeded its timeout, and that is not told yet:
// the timeout came once the body had returned.
func (x *Execution) Overdue() bool { return x.overrun && !x.noted }

// Number returns the number of the run in progress. One that has expired has none yet, so that is
// the one before.
func (x *Execution) Number() uint64 {
	if x.Plan.Periodic() {
		return x.Plan.Runs
	}
	return 1
}

// Info describes the run in progress. Of a run that is watched it is done once.
func (x *Execution) Info() Info {
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

// Outcome is how a run has ended.
type Outcome uint8

// What has become of a body.
const (
	Succeeded Outcome = iota // the body has returned nil
	Failed                   // the body has returned an error
	Skipped                  // the body has returned one that matches ErrSkipped
	Panicked                 // the body has panicked
	Exited                   // the body has called runtime.Goexit
	Overran                  // the run has exceeded its timeout
)

// Outcome returns how the run has ended.
func (x *Execution) Outcome() Outcome {
	var panicked *future.PanicError
	switch {
	case x.overrun || x.told:
		return Overran
	case x.Err == nil:
		return Succeeded
	case x.Skipped:
		return Skipped
	case x.Abrupt && errors.As(x.Err, &panicked):
		return Panicked
	case x.Abrupt:
		return Exited
	}
	return Failed
}

// Overruns reports whether the run in progress has exceeded its timeout by now. The lock is held.
func (x *Execution) Overruns(now int64) bool {
	return x.Plan.Timeout > 0 && x.Task.Started > 0 && now-x.Task.Started >= int64(x.Plan.Timeout)
}

// RecordLocked returns what is to be kept of the run, which has ended. The lock is held.
func (x *Execution) RecordLocked() Record {
	c, pl := x.Task, x.Plan
	var shown shown
	if pl.Dates != nil {
		shown, _ = onWallLocked(c, pl)
	}
	return Record{
		Number: pl.Runs, Missed: pl.missed(), Attempt: pl.attempt(),
		Scheduled: c.When, Started: c.Started, Ended: x.Ended,
		Extra: pl.Extra(), Err: x.Err, Skipped: x.Skipped, shown: shown,
	}
}
