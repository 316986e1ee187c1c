package eventloop

import "github.com/punctual-go/punctual/executor/internal/run"

// counts holds the counters of a loop. The loop's lock guards them.
type counts struct {
	accepted, returned uint64
	run.Counts         // of runs, and of tasks that have ended by them
	starts, wakeups    uint64
	reclaimed          uint64 // tasks cancelled while waiting that have been removed since
}
