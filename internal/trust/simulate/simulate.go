// Package simulate plays this module in virtual time: millions of operations, drawn from seeds, on
// every facility that knows times, each run in a bubble of testing/synctest of its own. What is
// random is the work; what is checked is exact. It is for tests and for the volume runner in bench.
//
// # How it looks for faults
//
// A simulation is one facility, those who use it, and a driver that draws what they do. All times
// lie on a grid of a millisecond, so that deadlines, time-outs and ends of work coincide. Who takes
// from a queue is busy for a while, or leaves for good: takers that come back at once would mend a
// lost wake-up.
//
// The oracles rest on one fact: in a bubble time passes only when nothing can run. While it passes,
// a task that is due and a worker that is free may not both be there; see timeline. So lateness is
// not measured but forbidden, and no tolerance is needed. A task is told from any other by its own
// record, and all that is random about it has been drawn when it is made: a seed fixes what is done
// and when, but not the order of goroutines within an instant.
//
// Half of the seeds widen races, by a hook of internal/delay that yields; one in ten has it sleep
// some steps of the grid. Only one simulation with a hook can be played at a time in a process.
package simulate

import "testing"

// Kind is one facility with its workload.
type Kind struct {
	Name string

	// Run plays one simulation, of about ops operations, and reports what went wrong. It may be
	// called outside of bubbles only, and not in parallel with others. A fault never ends the test.
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
	}
}
