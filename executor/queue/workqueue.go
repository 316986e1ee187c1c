package queue

import (
	"fmt"
	"iter"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// WorkQueue decides in which order the tasks of a pool run. Implement it to give a pool an order of
// your own; see [Custom]. A pool calls its methods one at a time, with the pool's lock held:
// they need no lock, and must neither wait nor call the pool. How many tasks may wait is not its
// concern, but that of [Queue.Bounded].
//
// Each task that is pushed must come back once, from Pop or Remove. A queue that loses a task loses
// it for good, and a queue that has tasks but pops none makes the pool panic.
//
// Push is called by submitters; and by workers, for submitters that have waited for room and for
// the next task of a serial.Serial. A panic of Push reaches the submitter, and if it happens in the
// submitter's own call, nothing else has changed. After a panic of Push on a worker, or of any
// other method, the pool is unusable; on a worker such a panic ends the program.
type WorkQueue interface {
	// Push adds a task that is not in the queue.
	Push(t Task)
	// Pop removes the next task and returns it. It returns nil if the queue is empty.
	Pop() Task
	// Remove removes t, and reports whether it was in the queue. The pool calls it when the task is
	// cancelled, handed back, or run ahead of its turn because another waits for it.
	Remove(t Task) bool
	// Len returns the number of tasks.
	Len() int
	// All yields the tasks in the order in which Pop would return them. The queue does not change
	// during the iteration.
	All() iter.Seq[Task]
}

// Task is a task in a [WorkQueue]. Each task is one value, different from all others: it can be
// compared with ==, and used as the key of a map.
type Task interface {
	Name() string     // as given by the option Name of package executor
	Priority() int    // as given by the option Priority
	Sequence() uint64 // counts upwards: of two tasks, the lower number came into the queue first

	cell() *cell.Cell
}

// task is a cell as a WorkQueue sees it.
type task cell.Cell

func (t *task) cell() *cell.Cell { return (*cell.Cell)(t) }
func (t *task) Name() string     { return engine.Options(t.cell()).Name }
func (t *task) Priority() int    { return engine.Options(t.cell()).Priority }
func (t *task) Sequence() uint64 { return t.Order }

// ordered adapts a WorkQueue to the interface that a pool expects of its queue.
type ordered struct{ queue WorkQueue }

func (q *ordered) Push(c *cell.Cell, _ int64) {
	taken := false
	defer func() {
		if !taken { // it has panicked, and c is not accepted
			c.Order = 0
		}
	}()
	q.queue.Push((*task)(c))
	taken = true
}

func (q *ordered) Remove(c *cell.Cell) bool {
	if !q.queue.Remove((*task)(c)) {
		return false
	}
	c.Place = 0
	return true
}

func (q *ordered) Len() int { return q.queue.Len() }

// Head reports everything in the queue as due: a plain pool knows no times.
func (q *ordered) Head() (when int64, due bool) {
	if q.queue.Len() == 0 {
		return parking.Nothing, false
	}
	return 0, true
}

// Pop panics if the queue has lost its tasks. A worker that found nothing would come back at once,
// and do so forever.
func (q *ordered) Pop(int64) runqueue.Entry {
	t := q.queue.Pop()
	if t == nil {
		panic(fmt.Sprintf("executor: queue %T has %d tasks but pops none", q.queue, q.queue.Len()))
	}
	t.cell().Place = 0
	return runqueue.Entry{Slot: runqueue.Slot{Cell: t.cell()}}
}

// Cells returns the tasks in order.
func (q *ordered) Cells() (cells []*cell.Cell) {
	for t := range q.queue.All() {
		cells = append(cells, t.cell())
	}
	return cells
}

func (q *ordered) Look(s *runqueue.Snapshot) {
	for t := range q.queue.All() {
		if !s.AddLine(t.cell()) {
			return
		}
	}
}

func (q *ordered) Extent() (line, timed int) { return q.queue.Len(), 0 }

// Filter works on a copy of the tasks, as the queue must not change while it is iterated over.
func (q *ordered) Filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	for _, c := range q.Cells() {
		if !keep(c) {
			q.queue.Remove((*task)(c))
			c.Place = 0
			out = append(out, c)
		}
	}
	return out
}

// supplied is ordered around a queue of the user's. The queues of this package keep their position
// in Place, from which the pool sees who waits; a user's queue may be built from several of those,
// which then write Place one after another, so it cannot be relied on.
type supplied struct {
	ordered
	held map[*cell.Cell]struct{}
}

// Holds reports whether c is in the queue.
func (q *supplied) Holds(c *cell.Cell) bool {
	_, ok := q.held[c]
	return ok
}

func (q *supplied) Push(c *cell.Cell, readyAt int64) {
	q.ordered.Push(c, readyAt)
	q.held[c] = struct{}{}
}

func (q *supplied) Pop(now int64) runqueue.Entry {
	e := q.ordered.Pop(now)
	delete(q.held, e.Cell)
	return e
}

func (q *supplied) Remove(c *cell.Cell) bool {
	if !q.Holds(c) || !q.ordered.Remove(c) {
		return false
	}
	delete(q.held, c)
	return true
}

func (q *supplied) Filter(keep func(*cell.Cell) bool) []*cell.Cell {
	out := q.ordered.Filter(keep)
	for _, c := range out {
		delete(q.held, c)
	}
	return out
}

func all(cells []*cell.Cell) iter.Seq[Task] {
	return func(yield func(Task) bool) {
		for _, c := range cells {
			if !yield((*task)(c)) {
				return
			}
		}
	}
}

// fifoQueue is a WorkQueue, first in, first out.
type fifoQueue struct{ line runqueue.FIFO }

func (q *fifoQueue) Push(t Task)         { q.line.Push(t.cell()) }
func (q *fifoQueue) Remove(t Task) bool  { return q.line.Remove(t.cell()) }
func (q *fifoQueue) Len() int            { return q.line.Len() }
func (q *fifoQueue) All() iter.Seq[Task] { return all(q.line.All()) }

func (q *fifoQueue) Pop() Task {
	if q.line.Len() == 0 {
		return nil
	}
	c := q.line.First()
	q.line.Remove(c)
	return (*task)(c)
}

// priorityQueue is a WorkQueue, highest priority first; among equals first in, first out.
type priorityQueue struct{ heap heap.Heap[*cell.Cell] }

// Push inverts the priority, because the heap gives out the lowest key first. ^p is -p-1, which,
// unlike -p, cannot overflow.
func (q *priorityQueue) Push(t Task) { q.heap.Push(int64(^t.Priority()), t.cell()) }
func (q *priorityQueue) Len() int    { return q.heap.Len() }

func (q *priorityQueue) Pop() Task {
	if q.heap.Len() == 0 {
		return nil
	}
	return (*task)(q.heap.Pop())
}

func (q *priorityQueue) Remove(t Task) bool {
	i := int(t.cell().Place) - 1
	if !q.heap.Holds(i, t.cell()) {
		return false
	}
	q.heap.Remove(i)
	return true
}

func (q *priorityQueue) All() iter.Seq[Task] {
	_, cells := q.heap.Sorted()
	return all(cells)
}
