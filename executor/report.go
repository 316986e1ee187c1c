package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
)

// Pending is a task that waits, or one that a pool has handed back because it was shut down before
// the task, or its next run, began. The future of a task that is handed back is settled at once, or
// at the end of the run for a series that is in one.
//
// Pending describes a task; [future.Pending] is the state of a future whose task waits.
//
// In JSON and in a structured log, Task and all zero fields are left out.
type Pending struct {
	Name string `json:"name,omitempty"`

	// Scheduled is when the task would have run or, for a task of Submit, when it was submitted; it
	// is zero if that is not known. For a series that is handed back during a run it is the time of
	// the next run. With a fixed delay that depends on the end of the run, so Scheduled is zero.
	Scheduled time.Time `json:"scheduled,omitzero"`

	Periodic bool   `json:"periodic,omitempty"`
	Runs     uint64 `json:"runs,omitempty"` // begun so far, for a periodic task
	Task     Task   `json:"-"`              // its decorated body, if it is handed back; else nil
}

// Running describes a task that was running when a report was made. In JSON it is its Run with an
// additional "for", written as [time.ParseDuration] reads it: "1.5s". [future.Running] is the state
// of such a task's future.
type Running struct {
	Run
	For time.Duration // since it started

	// Waits is set while it waits for another task of its pool, which runs in its place meanwhile;
	// WaitsFor is the name of that task, and may be empty.
	Waits    bool
	WaitsFor string
}

// Report is the result of [Pool.CloseContext]. A series that is in a run may be in both lists.
type Report struct {
	// Dropped are the tasks that never started, or will not start again, in the order of their
	// times. Series without a time come last.
	Dropped []Pending `json:"dropped,omitempty"`
	// Running are the tasks that were still running, longest first.
	Running []Running `json:"running,omitempty"`
}

// pendings returns what the engine says of tasks that wait.
func pendings(ts []engine.Pending) []Pending {
	if ts == nil {
		return nil
	}
	all := make([]Pending, len(ts))
	for i, t := range ts {
		all[i] = Pending(t)
	}
	return all
}

// runnings returns what the engine says of tasks that run.
func runnings(rs []engine.Running) (all []Running) {
	for _, r := range rs {
		all = append(all, Running{Run(r.Run), r.For, r.Waits, r.WaitsFor})
	}
	return all
}

func reportOf(r engine.Report) Report { return Report{pendings(r.Dropped), runnings(r.Running)} }
