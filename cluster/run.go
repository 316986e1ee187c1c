package cluster

import (
	"context"
	"time"
)

// Run tells a function about the run it is in.
type Run struct {
	// ID is the same at each attempt of a run, and differs between runs: an idempotency key. For a
	// task it is [Future.ID].
	ID string

	Series    string    // the name of the series; empty for a task that runs once
	Number    uint64    // counts the runs of a series from 1 on; 1 for a task that runs once
	Scheduled time.Time // when the run was planned, by the server's clock, whatever its attempt
	Missed    uint64    // how many times of the series passed without a run before this one

	// Attempt counts the attempts from 1 on. One above 1 follows one whose worker died or was lost,
	// or that has failed, see [Retry].
	Attempt int

	// Fence grows with each run of a series, and with each attempt of a run. A resource that
	// remembers the greatest it has seen can refuse the writes of a worker that was believed dead.
	// For a task that runs once it is only as good as the server's count of deliveries: one that
	// dies may have forgotten the last, and then two attempts have the same.
	Fence uint64

	Triggered bool // asked for by [Series.Trigger]
}

type runKey struct{}

// RunFrom returns what is to know about the run whose context ctx is, or comes from.
func RunFrom(ctx context.Context) (Run, bool) {
	run, ok := ctx.Value(runKey{}).(Run)
	return run, ok
}

// fence is that of a task that runs once: one number of its place in the stream and the count of
// its deliveries. A stream would have to see 2^48 messages for the first to run over.
func fence(sequence, delivered uint64) uint64 { return sequence<<16 | min(delivered, 1<<16-1) }
