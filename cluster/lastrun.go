package cluster

import (
	"fmt"
	"math"
	"time"

	"github.com/nats-io/nats.go"
)

// lastRun is what a link says of the run before it, so that who looks at all series need not read
// the record of each: when it ended, how late it had begun, and how it ended. It is zero if nothing
// is known: of a series that has not run, of one that was given a command while it ran, and of one
// whose last run was of an earlier version.
type lastRun struct {
	ended   time.Time
	late    time.Duration // from its time to when it began; 0 for one that was left out
	outcome Outcome
}

// longest takes as much room as any does.
func (lastRun) longest(t time.Time) lastRun { return lastRun{t, math.MaxInt64, RunAbandoned} }

func lastOf(run RanRow, now time.Time) lastRun {
	last := lastRun{ended: now, outcome: run.Outcome}
	if !run.Began.IsZero() {
		last.late = max(run.Began.Sub(run.Scheduled), 0)
	}
	return last
}

// failing tells whether the run is known not to have succeeded.
func (r lastRun) failing() bool { return r.outcome != "" && r.outcome != RunSucceeded }

func (r lastRun) write(h nats.Header) {
	if r.outcome != "" {
		ended := r.ended.UTC().Format(time.RFC3339Nano)
		h.Set(headerLast, fmt.Sprintf("%s %d %s", ended, r.late, r.outcome))
	}
}

// readLastRun reads what write has written. What cannot be read is not known: it is only shown.
func readLastRun(h nats.Header) (r lastRun) {
	var ended string
	if _, err := fmt.Sscan(h.Get(headerLast), &ended, &r.late, &r.outcome); err != nil {
		return lastRun{}
	}
	t, err := time.Parse(time.RFC3339Nano, ended)
	if err != nil {
		return lastRun{}
	}
	r.ended = t
	return r
}
