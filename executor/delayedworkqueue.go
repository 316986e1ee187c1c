package executor

import (
	"cmp"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// workQueue is where accepted tasks wait for a worker. The pool's lock is held in every call.
type workQueue interface {
	push(c *cell.Cell, now int64)
	// head tells when the head may run, or parking.Nothing. Due means that it may run whatever the time is.
	head() (when int64, due bool)
	// pop takes out the head, of which head has just told. It is a task with a cell, or bare.
	pop() entry
	remove(c *cell.Cell) bool
	len() int
	// filter keeps the tasks that keep accepts and returns the others, in order.
	filter(keep func(c *cell.Cell) bool) []*cell.Cell
	// tasks returns all, in order.
	tasks() []*cell.Cell
}

// delayedWorkQueue orders tasks by trigger time, equal times by the order of submission. It is the
// queue of java.util.concurrent's ScheduledThreadPoolExecutor.
//
// A task to run at once has a later time than all that came so before it: such tasks form a line that is
// in order by itself. It is an [inbox] beside the heap, and the earlier of the two heads is the head. So
// Execute and Submit are O(1), take no lock that workers hold, and overtake nobody. The stamp that the
// inbox gives tells which tasks of the heap came before.
type delayedWorkQueue struct {
	heap heap.Heap[*cell.Cell]
	line *inbox
}

func (q *delayedWorkQueue) push(c *cell.Cell, _ int64) { q.heap.Push(c.When, c) }

func (q *delayedWorkQueue) pop() entry {
	if q.lineFirst() {
		return q.line.pop()
	}
	return entry{cell: q.heap.Pop()}
}

func (q *delayedWorkQueue) head() (when int64, due bool) {
	if q.lineFirst() {
		return q.line.out.first().when, true
	}
	if q.heap.Len() == 0 {
		return parking.Nothing, false
	}
	when, _ = q.heap.Min()
	return when, false
}

// lineFirst reports whether the head is that of the line.
func (q *delayedWorkQueue) lineFirst() bool {
	if !q.line.live() || q.heap.Len() == 0 {
		return q.line.out.live()
	}
	_, least := q.heap.Min()
	return q.line.out.first().precedes(least)
}

// precedes reports whether a task that came to the inbox at s is before c, of the heap.
func (s stamp) precedes(c *cell.Cell) bool {
	return s.when < c.When || s.when == c.When && s.after < c.Order
}

func (q *delayedWorkQueue) remove(c *cell.Cell) bool {
	if c.Place < 0 {
		return q.line.remove(c)
	}
	i := int(c.Place) - 1
	if !q.heap.Holds(i, c) {
		return false
	}
	q.heap.Remove(i)
	return true
}

func (q *delayedWorkQueue) len() int { return q.heap.Len() + q.line.len() }

func (q *delayedWorkQueue) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	return weave(q.line.filter(keep), q.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) }))
}

func (q *delayedWorkQueue) tasks() []*cell.Cell {
	_, cells := q.heap.Sorted()
	return weave(q.line.tasks(), cells)
}

// weave puts the tasks of the line and those of the heap, both in order, in one order.
func weave(line, heap []*cell.Cell) []*cell.Cell {
	if len(line) == 0 {
		return heap
	}
	all := make([]*cell.Cell, 0, len(line)+len(heap))
	for _, c := range line {
		s := stamp{c.When, c.Order}
		for len(heap) > 0 && !s.precedes(heap[0]) {
			all = append(all, heap[0])
			heap = heap[1:]
		}
		all = append(all, c)
	}
	return append(all, heap...)
}

// compare orders tasks of the heap as that does.
func compare(a, b *cell.Cell) int {
	if c := cmp.Compare(a.When, b.When); c != 0 {
		return c
	}
	return cmp.Compare(a.Order, b.Order)
}
