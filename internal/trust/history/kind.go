package history

import (
	"encoding/json"

	"github.com/anishathalye/porcupine"
)

// Kind is a sort of object, with a workload for it.
type Kind struct {
	Name string

	// Record has some goroutines use a new object, and returns when they and those of the object
	// have ended. The seed fixes what they do, but not how that interleaves.
	Record func(seed uint64) History
}

// The names of the kinds.
const (
	DelayQueue = "delayqueue" // delayqueue.Queue
	FIFO       = "fifo"       // executor.Pool with its default queue
	Bounded    = "bounded"    // executor.Pool with queue.Bounded
	HandOff    = "handoff"    // executor.Pool with HandOff
	Scheduled  = "scheduled"  // executor.ScheduledPool
	Promise    = "promise"    // future.Promise
	Task       = "task"       // future.Task
)

// Kinds returns all there are.
func Kinds() []Kind {
	kinds := []Kind{{DelayQueue, recordQueue}}
	for _, name := range []string{FIFO, Bounded, HandOff, Scheduled} {
		kinds = append(kinds,
			Kind{name, func(seed uint64) History { return recordPool(name, seed) }})
	}
	return append(kinds, Kind{Promise, recordPromises}, Kind{Task, recordTasks})
}

// family is what some kinds have in common: how their histories are written down, and judged.
type family struct {
	model      func(History) porcupine.Model
	operations func(History) []porcupine.Operation
	decode     func(input, output []byte) (any, any, error)
}

func familyOf(kind string) (f family, ok bool) {
	switch kind {
	case DelayQueue:
		return family{queueModel, queueOperations, decode[QueueInput, QueueOutput]}, true
	case FIFO, Bounded, HandOff, Scheduled:
		return family{poolModel, poolOperations, decode[PoolInput, PoolOutput]}, true
	case Promise, Task:
		return family{futureModel, futureOperations, decode[FutureInput, FutureOutput]}, true
	}
	return family{}, false
}

func decode[I, O any](input, output []byte) (any, any, error) {
	var in I
	var out O
	if err := json.Unmarshal(input, &in); err != nil {
		return nil, nil, err
	}
	err := json.Unmarshal(output, &out)
	return in, out, err
}
