package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// Recorder is told what becomes of each task. It is called without the owner's lock, where
// observers are, and unlike these knows one task from another.
type Recorder interface {
	Submitted(c *cell.Cell, pl *run.Plan, in time.Duration)
	// Began tells the beginning of a run, and when it should have begun.
	Began(c *cell.Cell, run run.Info, due int64)
	// Ended tells the end of a run, and whether the task has ended with it.
	Ended(c *cell.Cell, run run.Info, how run.Outcome, last bool)
	// Told tells any other event by its name, and whether the task has ended with it.
	Told(event string, c *cell.Cell, last bool)
	// Close ends the recording. It is called once, when the owner has ended.
	Close()
}

// recordEnd records that a run is over, or that there was nothing to begin.
func (s *Sight) recordEnd(x *run.Execution) {
	if s.recorder == nil {
		return
	}
	settled := x.Task.Phase().Settled()
	switch {
	case x.Expired():
		s.recorder.Told("expired", x.Task, settled)
	case x.Began():
		s.recorder.Ended(x.Task, x.Info(), x.Outcome(), settled)
	default:
		s.recorder.Told(run.TaskOver, x.Task, settled)
	}
}

// CloseRecording is that of [run.Sight].
func (s *Sight) CloseRecording() {
	if s.recorder != nil {
		s.recorder.Close()
	}
}
