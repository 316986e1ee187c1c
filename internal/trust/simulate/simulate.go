// Package simulate runs this module in virtual time: millions of operations, drawn from seeds, on
// every executor, queue and timer, each simulation in a bubble of testing/synctest of its own. The
// workload is random; the checks are exact. It is for tests and for the soak in bench.
//
// # How it looks for faults
//
// A simulation is one facility, its users, and a driver that draws their operations. All times lie
// on a grid of a millisecond, so that deadlines, timeouts and ends of work coincide. Whatever
// takes from a queue is busy for a while, or leaves for good: a taker that came back at once would
// hide a lost wake-up.
//
// The oracles rest on one fact: in a bubble, time passes only when nothing can run. While it passes
// there may not be a due task beside a free worker; see timeline. So lateness is not measured but
// forbidden, and no tolerance is needed. Every task has a record of its own, and all that is random
// about it is drawn when it is made: a seed fixes what is done and when, but not the order of
// goroutines within an instant.
//
// Half of the seeds widen races by a hook at the points of internal/delay, which yields; in one of
// ten it sleeps for some steps of the grid. A process can run only one simulation with a hook at a
// time.
package simulate

import "testing"

// Kind is one facility with its workload.
type Kind struct {
	Name string

	// Run runs one simulation of about ops operations and reports what went wrong. It may only be
	// called outside of bubbles, and not in parallel with others. A fault does not fail the test:
	// the caller decides.
	Run func(t *testing.T, seed uint64, ops int) Report
}

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{
		{"scheduled", simulateScheduled},
		{"pool", simulatePool},
		{"loop", simulateLoop},
		{"delayqueue", simulateDelayQueue},
		{"hashed", simulateHashed},
		{"hierarchical", simulateHierarchical},
		{"revolver", simulateRevolver},
		{"timer", simulateTimer},
		{"supervisor", simulateSupervisor},
		{"program", simulatePrograms},
		{"retry", simulateRetries},
		{"control", simulateControl},
	}
}
