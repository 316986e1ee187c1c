package executor

import (
	"fmt"
	"math"
)

// Queue says where the tasks of a [Pool] wait for a worker, and how many may. It is an [Option], and a
// value: each pool gets a queue of its own from it. A [ScheduledPool] has a queue of its own, and
// panics if given another. The queues are [FIFO], which is the default,
// [BoundedFIFO], [HandOff], [PriorityFIFO] and [CustomQueue].
type Queue struct {
	make     func() WorkQueue
	capacity int
	fifo     bool
	custom   bool
}

// unbounded is the capacity of a queue that has none.
const unbounded = math.MaxInt

// FIFO is a queue without bounds, first in, first out: java.util.concurrent's LinkedBlockingQueue. A
// pool with it does not grow above its core size, unless by [GrowFirst]. Submission and start are
// O(1); a waiting task of Execute takes 16 bytes.
func FIFO() Queue {
	return Queue{make: func() WorkQueue { return new(fifoQueue) }, capacity: unbounded, fifo: true}
}

// BoundedFIFO is a queue of at most n tasks, first in, first out: java.util.concurrent's
// ArrayBlockingQueue. With n = 0 it is [HandOff]. It panics if n is negative.
func BoundedFIFO(n int) Queue { return FIFO().Bounded(n) }

// HandOff lets no task wait: each is handed to an idle worker, or to a new one, or is refused. It is
// java.util.concurrent's SynchronousQueue.
func HandOff() Queue { return BoundedFIFO(0) }

// PriorityFIFO is a queue without bounds that gives the task of the highest [Priority] first, and
// among equals the one that came first; java.util.concurrent's PriorityBlockingQueue promises nothing
// about equals. O(log n).
func PriorityFIFO() Queue {
	return Queue{make: func() WorkQueue { return new(priorityQueue) }, capacity: unbounded}
}

// CustomQueue is a queue of the user's own, without bounds: make is called once for each pool. It
// panics if make is nil; a pool panics if make returns nil.
func CustomQueue(make func() WorkQueue) Queue {
	if make == nil {
		panic("executor: nil queue")
	}
	return Queue{make: make, capacity: unbounded, custom: true}
}

// Bounded returns the same queue with room for n tasks. It panics if n is negative.
func (q Queue) Bounded(n int) Queue {
	if n < 0 {
		panic(fmt.Sprintf("executor: negative queue capacity %d", n))
	}
	q.capacity = n
	return q
}

// New returns a queue of this kind, for example to make one's own from it.
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

func (q Queue) configure(s *settings) {
	if q.make == nil {
		panic("executor: nil queue")
	}
	s.waitsIn = q
}

// simple reports whether the queue is the default one.
func (q Queue) simple() bool { return q.fifo && q.capacity == unbounded }
