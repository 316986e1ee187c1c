package executor

import (
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// workQueue is where accepted tasks wait for a worker. The pool's lock is held in every call.
type workQueue interface {
	push(c *cell.Cell)
	pop() *cell.Cell // the head; the queue is not empty
	head() int64     // when the head may run, or parking.Nothing
	remove(c *cell.Cell) bool
	len() int
	// filter keeps the tasks that keep accepts and returns the others, in order.
	filter(keep func(c *cell.Cell) bool) []*cell.Cell
	// tasks returns all, in order.
	tasks() []*cell.Cell
}

// delayedWorkQueue orders tasks by trigger time, equal times by the order of submission. It is the
// queue of java.util.concurrent's ScheduledThreadPoolExecutor.
type delayedWorkQueue struct {
	heap heap.Heap[*cell.Cell]
}

func (q *delayedWorkQueue) push(c *cell.Cell) { q.heap.Push(c.When, c) }

func (q *delayedWorkQueue) pop() *cell.Cell { return q.heap.Pop() }

func (q *delayedWorkQueue) head() int64 {
	if q.heap.Len() == 0 {
		return parking.Nothing
	}
	when, _ := q.heap.Min()
	return when
}

func (q *delayedWorkQueue) remove(c *cell.Cell) bool {
	i := int(c.Place) - 1
	if !q.heap.Holds(i, c) {
		return false
	}
	q.heap.Remove(i)
	return true
}

func (q *delayedWorkQueue) len() int { return q.heap.Len() }

func (q *delayedWorkQueue) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	return q.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) })
}

func (q *delayedWorkQueue) tasks() []*cell.Cell {
	_, cells := q.heap.Sorted()
	return cells
}
