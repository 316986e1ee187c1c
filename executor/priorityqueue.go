package executor

import (
	"iter"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
)

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
