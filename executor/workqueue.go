package executor

import (
	"fmt"
	"iter"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// WorkQueue decides in which order the tasks of a pool run: it is all that a queue of one's own has to
// implement. A pool calls its methods one at a time, with its lock held: they need no lock of their
// own, and must neither wait nor call the pool. How many tasks may wait is not its concern, but that
// of [Queue.Bounded]. A task that is pushed comes back once, by Pop or by Remove; a queue that loses
// one loses it for ever, and one that has tasks but pops none makes the pool panic. A panic of Push
// reaches the submitter, and nothing has happened, if it is in the submitter's own call. Push is called by
// workers too, for submitters who have waited for room, and for the next task of a [Serial]. After a panic
// there, or of another method, the pool is of no use any more; on a worker it ends the program.
type WorkQueue interface {
	// Push adds a task that is not in the queue.
	Push(t Queued)
	// Pop takes out the task that is next. It returns nil if the queue is empty.
	Pop() Queued
	// Remove takes out t, and reports whether it was in the queue. The pool calls it when the task is
	// cancelled, handed back, or run ahead of its turn because another waits for it.
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
	Sequence() uint64 // tells which of two tasks came into the queue first: its number is lower

	cell() *cell.Cell
}

// queued is a cell as a WorkQueue sees it.
type queued cell.Cell

func (t *queued) cell() *cell.Cell { return (*cell.Cell)(t) }
func (t *queued) Name() string     { return planOf(t.cell()).Name }
func (t *queued) Priority() int    { return planOf(t.cell()).Priority }
func (t *queued) Sequence() uint64 { return t.Order }

// ordered makes a WorkQueue the queue of a pool.
type ordered struct {
	queue WorkQueue
	// held are the tasks in a queue of the user's own, which may be made of others, and these write
	// Place. In the queues of this package Place tells.
	held map[*cell.Cell]struct{}
}

func (q *ordered) Push(c *cell.Cell) {
	q.queue.Push((*queued)(c))
	if q.held != nil {
		q.held[c] = struct{}{}
	}
}

func (q *ordered) holds(c *cell.Cell) bool {
	_, ok := q.held[c]
	return ok
}

func (q *ordered) Remove(c *cell.Cell) bool {
	if q.held != nil && !q.holds(c) || !q.queue.Remove((*queued)(c)) {
		return false
	}
	q.forget(c)
	return true
}

func (q *ordered) forget(c *cell.Cell) {
	delete(q.held, c)
	c.Place = 0
}

func (q *ordered) Len() int { return q.queue.Len() }

func (q *ordered) Head() (when int64, due bool) {
	if q.queue.Len() == 0 {
		return parking.Nothing, false
	}
	return 0, true
}

func (q *ordered) Pop(int64) runqueue.Entry {
	t := q.queue.Pop()
	if t == nil {
		panic(fmt.Sprintf("executor: queue %T has %d tasks but pops none", q.queue, q.queue.Len()))
	}
	q.forget(t.cell())
	return runqueue.Entry{Slot: runqueue.Slot{Cell: t.cell()}}
}

func (q *ordered) tasks() (cells []*cell.Cell) {
	for t := range q.queue.All() {
		cells = append(cells, t.cell())
	}
	return cells
}

func (q *ordered) Look(s *runqueue.Snapshot) {
	for t := range q.queue.All() {
		s.AddLine(t.cell())
	}
}

func (q *ordered) Extent() (line, timed int) { return q.queue.Len(), 0 }

func (q *ordered) Filter(keep func(*cell.Cell) bool) (out []*cell.Cell) {
	for _, c := range q.tasks() {
		if !keep(c) {
			q.queue.Remove((*queued)(c))
			q.forget(c)
			out = append(out, c)
		}
	}
	return out
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

// fifoQueue is a WorkQueue, first in, first out.
type fifoQueue struct{ line runqueue.FIFO }

func (q *fifoQueue) Push(t Queued)         { q.line.Push(t.cell()) }
func (q *fifoQueue) Remove(t Queued) bool  { return q.line.Remove(t.cell()) }
func (q *fifoQueue) Len() int              { return q.line.Len() }
func (q *fifoQueue) All() iter.Seq[Queued] { return all(q.line.All()) }

func (q *fifoQueue) Pop() Queued {
	if q.line.Len() == 0 {
		return nil
	}
	c := q.line.First()
	q.line.Remove(c)
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
