package queue

import (
	"fmt"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// Queue says where the tasks of a pool wait for a worker, and how many may wait. The queues are
// [FIFO], which is the default, [Bounded], [HandOff], [Priority] and [Custom]. The option Queue of
// package executor takes it. A Queue is a plain value: every pool that is given it makes a queue of
// its own. The zero Queue is invalid; to use it panics.
type Queue struct {
	make     func() WorkQueue
	capacity int
	fifo     bool // the queue is the one of FIFO, whatever its capacity
	custom   bool // the user supplied it
}

// unbounded is the capacity of a queue without a limit.
const unbounded = engine.Unbounded

// FIFO is an unbounded queue, first in, first out: java.util.concurrent's LinkedBlockingQueue. A
// pool with this queue does not grow above its core size, except with GrowFirst. Submitting and
// starting a task are O(1); a waiting task of Execute takes 16 bytes.
func FIFO() Queue {
	return Queue{make: func() WorkQueue { return new(fifoQueue) }, capacity: unbounded, fifo: true}
}

// Bounded is a queue of at most n tasks, first in, first out: java.util.concurrent's
// ArrayBlockingQueue. With n = 0 it is [HandOff]. It panics if n is negative.
//
// Whatever waits takes room, also behind another task of its serial.Serial, for its time, or for
// another attempt, as Retry says. A task that has been accepted is never lost for want of room: an
// attempt that fails waits for the next even if the queue is full, and new tasks are refused
// instead. While those that wait for their time fill the queue, no new task is accepted, though a
// worker be free. A free worker that Pause of the pool or a Pace keeps from starting a task is no
// room either.
func Bounded(n int) Queue { return FIFO().Bounded(n) }

// HandOff lets no task wait for a worker: each is handed to an idle one or to a new one, or is
// refused. It is java.util.concurrent's SynchronousQueue. Tasks that wait for their turn in a
// serial.Serial, or for another attempt, are not bounded by it; PendingLimit bounds them.
func HandOff() Queue { return Bounded(0) }

// Priority is an unbounded queue that gives out the task of the highest priority first, as the
// option Priority of package executor says, and of equals the one that came first. Submitting and
// starting a task are O(log n). java.util.concurrent's PriorityBlockingQueue is similar, but
// promises nothing about equals.
func Priority() Queue {
	return Queue{make: func() WorkQueue { return new(priorityQueue) }, capacity: unbounded}
}

// Custom is an unbounded queue that the user supplies: make is called once for each pool. It
// panics if make is nil; a pool panics if make returns nil.
func Custom(make func() WorkQueue) Queue {
	if make == nil {
		panic("executor: nil queue")
	}
	return Queue{make: make, capacity: unbounded, custom: true}
}

// Bounded returns the same queue with room for n tasks. With n = 0 no task waits, as in [HandOff].
// Bounded panics if n is negative.
func (q Queue) Bounded(n int) Queue {
	if n < 0 {
		panic(fmt.Sprintf("executor: negative queue capacity %d", n))
	}
	q.capacity = n
	return q
}

// New returns a new queue of this kind, for example to build another [WorkQueue] from it.
func (q Queue) New() WorkQueue {
	if q.make == nil {
		panic("executor: nil queue")
	}
	made := q.make()
	if made == nil {
		panic("executor: nil queue")
	}
	return made
}

// Apply gives a pool this queue. It is for package executor.
func (q Queue) Apply(s *engine.Settings) {
	if q.make == nil {
		panic("executor: nil queue")
	}
	s.MakeQueue, s.Capacity, s.Simple = q.forPool, q.capacity, q.simple()
}

// forPool returns a new queue of this kind as a pool uses it.
func (q Queue) forPool() runqueue.Queue {
	own := ordered{q.New()}
	if q.custom {
		return &supplied{own, map[*cell.Cell]struct{}{}}
	}
	return &own
}

// simple reports whether the queue is the default one, whose place an inbox can take.
func (q Queue) simple() bool { return q.fifo && q.capacity == unbounded }
