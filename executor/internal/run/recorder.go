package run

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Recorder is told what becomes of each task. It is called without the owner's lock, where
// observers are, and unlike these knows one task from another.
type Recorder interface {
	Submitted(c *cell.Cell, pl *Plan, in time.Duration)
	// Began tells the beginning of a run, and when it should have begun.
	Began(c *cell.Cell, run Info, due int64)
	// Ended tells the end of a run, and whether the task has ended with it.
	Ended(c *cell.Cell, run Info, how Outcome, last bool)
	// Told tells any other event by its name, and whether the task has ended with it.
	Told(event string, c *cell.Cell, last bool)
	// Close ends the recording. It is called once, when the owner has ended.
	Close()
}

// Outcome is how a run has ended.
type Outcome uint8

const (
	Succeeded Outcome = iota // the body has returned nil
	Failed                   // the body has returned an error
	Panicked                 // the body has panicked
	Exited                   // the body has called runtime.Goexit
	Overran                  // the run has exceeded its timeout
)

// outcome returns how the run has ended.
func (x *Execution) outcome() Outcome {
	var panicked *future.PanicError
	switch {
	case x.overrun || x.told:
		return Overran
	case x.Err == nil:
		return Succeeded
	case x.Abrupt && errors.As(x.Err, &panicked):
		return Panicked
	case x.Abrupt:
		return Exited
	}
	return Failed
}

// recordEnd tells the recorder that the body has ended.
func (x *Execution) recordEnd() {
	r := x.Owner.Recorder
	settled := x.Task.Phase().Settled()
	switch x.skip {
	case tardy:
		r.Told("expired", x.Task, settled)
	case noSkip:
		r.Ended(x.Task, x.describe(), x.outcome(), settled)
	default:
		r.Told("over", x.Task, settled)
	}
}

// CloseRecording ends the recording, if there is one. The owner has ended, and the lock is not
// held.
func (o *Owner) CloseRecording() {
	if o.Recorder != nil {
		o.Recorder.Close()
	}
}

// record tells the recorder of an event of a task that may not be in a run.
func (o *Owner) record(event string, c *cell.Cell) {
	if o.Recorder != nil {
		o.Recorder.Told(event, c, c.HasStopped())
	}
}
