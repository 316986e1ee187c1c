package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Run describes one run of a task.
type Run struct {
	Name   string `json:"name,omitempty"` // of the task; may be empty
	Number uint64 `json:"number"`         // 1 for the first run of the task

	// Scheduled is the time for which the run was planned or, for a task that was to run at once,
	// when it was submitted. Started is when the run began. Their difference is how late the run
	// is, or how long the task has waited. Both carry a monotonic reading, unless the task waits on
	// the wall clock: then they are what that showed.
	//
	// To save clock readings, a [Pool] with the default queue and without hooks around runs does
	// not time the tasks of Execute. Their Started is exact if the pool has an error handler, or
	// has been asked for such a run in the ten seconds before; otherwise it is the moment of the
	// first question. When they were submitted is known only to a [ScheduledPool] that times them,
	// or that has tasks with times; otherwise Scheduled equals Started.
	Scheduled time.Time `json:"scheduled,omitzero"`
	Started   time.Time `json:"started,omitzero"`

	// Missed counts periods of a fixed-rate task. Under Skip and Coalesce it is the number of
	// periods since the previous run that got no run of their own. Under Burst it is the number of
	// periods that had passed when this run started and for which runs are still to come. Under
	// each, it includes those whose runs have expired since the previous run, see [BeginWithin]. A
	// run with Missed > 0 follows a stall, so its measurements may not be worth keeping.
	Missed uint64 `json:"missed,omitempty"`

	// Attempt counts the attempts of the run, from 1 on, if the task has [Retry]; otherwise it is
	// 0.
	Attempt uint64 `json:"attempt,omitempty"`

	// Triggered is set for a run that [Handle.Trigger] asked for.
	Triggered bool `json:"triggered,omitempty"`

	// Periodic is set for the runs of a task that repeats.
	Periodic bool `json:"periodic,omitempty"`
}

// RunFrom returns the run in whose context, or a context derived from that, it is called. It
// reports false for any other context, for nil, and after the run has ended.
func RunFrom(ctx context.Context) (Run, bool) {
	if ctx == nil {
		return Run{}, false
	}
	var run Run
	found := cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false // run by hand, inside of a run of ours
		}
		h, ok := c.Plan.Host.(timetable)
		if ok {
			run = Run(h.Describe(c))
		}
		return ok
	})
	return run, found
}
