package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Run tells one run of a task from the others.
type Run struct {
	Name   string `json:"name,omitempty"` // of the task; may be empty
	Number uint64 `json:"number"`         // 1 for the first run of the task

	// Scheduled is the time the run was planned for, or when a task to run at once was submitted;
	// Started the time it was begun: their difference is how late it is, or how long it has waited.
	// Both carry the monotonic clock.
	//
	// To save the clock, a [Pool] with its default queue and without run hooks does not time the tasks of
	// Execute: Started is right if the pool has an error handler, or has been asked for such a run before,
	// and otherwise the moment of the first question. When they were submitted only a [ScheduledPool] knows
	// that times them, or has others with times; elsewhere Scheduled is the same as Started.
	Scheduled time.Time `json:"scheduled,omitzero"`
	Started   time.Time `json:"started,omitzero"`

	// Missed counts periods of a fixed-rate task. Under Skip and Coalesce it is how many got no run
	// of their own since the run before; under Burst, how many had passed when this run started
	// that are still to be made up for by runs to come. A run with Missed > 0 follows a stall, and
	// what it measures may not be worth keeping.
	Missed uint64 `json:"missed,omitempty"`
}

// RunFrom tells which run it is called in, given the context of the run or one derived from it. It
// reports false for any other context, and after the run.
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
			run = h.Describe(c)
		}
		return ok
	})
	return run, found
}
