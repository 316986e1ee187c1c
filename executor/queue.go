package executor

import (
	"fmt"
	"iter"
	"math"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// Queue says where the tasks of a [Pool] wait for a worker, and how many may. It is an [Option], and
// a value: each pool gets a queue of its own from it. The queues are [FIFO], which is the default,
// [BoundedFIFO], [HandOff], [PriorityFIFO] and [CustomQueue].
type Queue struct {
	make     func() WorkQueue
	capacity int
	fifo     bool
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
	return Queue{make: make, capacity: unbounded}
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

// WorkQueue decides in which order the tasks of a pool run: it is all that a queue of one's own has to
// implement. A pool calls its methods one at a time, with its lock held: they need no lock of their
// own, and must neither wait nor call the pool. How many tasks may wait is not its concern, but that
// of [Queue.Bounded]. A task that is pushed comes back once, by Pop or by Remove; a queue that loses
// one loses it for ever, and one that has tasks but pops none makes the pool panic.
type WorkQueue interface {
	// Push adds a task that is not in the queue.
	Push(t Queued)
	// Pop takes out the task that is next. It returns nil if the queue is empty.
	Pop() Queued
	// Remove takes out t, which has been cancelled, and reports whether it was in the queue.
	Remove(t Queued) bool
	// Len returns how many tasks there are.
	Len() int
	// All yields the tasks in the order in which Pop would return them. The queue does not change
	// meanwhile.
	All() iter.Seq[Queued]
}

// Queued is a task in a [WorkQueue]. Each task is one value that equals no other: it can be compared
// with ==, and be the key of a map.
type Queued interface {
	Name() string     // given by the option Name
	Priority() int    // given by the option Priority
	Sequence() uint64 // tells which of two tasks was submitted first: its number is lower

	cell() *cell.Cell
}

// queued is a cell as a WorkQueue sees it.
type queued cell.Cell

func (t *queued) cell() *cell.Cell { return (*cell.Cell)(t) }
func (t *queued) Name() string     { return planOf(t.cell()).name }
func (t *queued) Priority() int    { return planOf(t.cell()).priority }
func (t *queued) Sequence() uint64 { return t.Order }

// ordered makes a WorkQueue the queue of a pool.
type ordered struct{ queue WorkQueue }

func (q *ordered) push(c *cell.Cell, _ int64) { q.queue.Push((*queued)(c)) }
func (q *ordered) remove(c *cell.Cell) bool   { return q.queue.Remove((*queued)(c)) }
func (q *ordered) len() int                   { return q.queue.Len() }

func (q *ordered) head() int64 {
	if q.queue.Len() == 0 {
		return parking.Nothing
	}
	return 0
}

func (q *ordered) pop() (*cell.Cell, Task) {
	t := q.queue.Pop()
	if t == nil {
		panic(fmt.Sprintf("executor: queue %T has %d tasks but pops none", q.queue, q.queue.Len()))
	}
	return t.cell(), nil
}

func (q *ordered) tasks() (cells []*cell.Cell) {
	for t := range q.queue.All() {
		cells = append(cells, t.cell())
	}
	return cells
}

func (q *ordered) filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	for _, c := range q.tasks() {
		if !keep(c) && q.remove(c) {
			out = append(out, c)
		}
	}
	return out
}

// fifoQueue is a WorkQueue, first in, first out.
type fifoQueue struct{ line fifo }

func (q *fifoQueue) Push(t Queued)         { q.line.push(t.cell()) }
func (q *fifoQueue) Remove(t Queued) bool  { return q.line.remove(t.cell()) }
func (q *fifoQueue) Len() int              { return q.line.len() }
func (q *fifoQueue) All() iter.Seq[Queued] { return all(q.line.all()) }

func (q *fifoQueue) Pop() Queued {
	if q.line.len() == 0 {
		return nil
	}
	c := q.line.first()
	q.line.remove(c)
	return (*queued)(c)
}

// priorityQueue is a WorkQueue, highest priority first, first in, first out among equals.
type priorityQueue struct{ heap heap.Heap[*cell.Cell] }

// Push turns the order around, as the heap gives the least first; ^p is -p-1, which cannot overflow.
func (q *priorityQueue) Push(t Queued) { q.heap.Push(int64(^t.Priority()), t.cell()) }
func (q *priorityQueue) Len() int      { return q.heap.Len() }

func (q *priorityQueue) Pop() Queued {
	if q.heap.Len() == 0 {
		return nil
	}
	return (*queued)(q.heap.Pop())
}

func (q *priorityQueue) Remove(t Queued) bool {
	i := int(t.cell().Place) - 1
	if !q.heap.Holds(i, t.cell()) {
		return false
	}
	q.heap.Remove(i)
	return true
}

func (q *priorityQueue) All() iter.Seq[Queued] {
	_, cells := q.heap.Sorted()
	return all(cells)
}

func all(cells []*cell.Cell) iter.Seq[Queued] {
	return func(yield func(Queued) bool) {
		for _, c := range cells {
			if !yield((*queued)(c)) {
				return
			}
		}
	}
}
