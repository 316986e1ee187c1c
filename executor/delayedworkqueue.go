package executor

import (
	"cmp"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
	"github.com/punctual-go/punctual/internal/parking"
)

// workQueue is where accepted tasks wait for a worker. The pool's lock is held in every call.
type workQueue interface {
	push(c *cell.Cell, now int64)
	head() int64 // when the head may run, or parking.Nothing
	// pop takes out the head, of which head has just told. It is a task with a cell, or bare.
	pop() (c *cell.Cell, bare Task)
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
// A task that is due as it comes has, but for the runs of a late series, a later time than all that
// came so before it: such tasks form a line that is in order by itself. It is kept beside the heap,
// and the earlier of the two heads is the head. So Execute and Submit are O(1), and overtake nobody.
type delayedWorkQueue struct {
	heap heap.Heap[*cell.Cell]
	line fifo
	last int64 // the time of the last in the line
}

func (q *delayedWorkQueue) push(c *cell.Cell, now int64) {
	if c.When <= now && (c.When >= q.last || q.line.len() == 0) {
		q.last = c.When
		q.line.push(c)
		return
	}
	q.heap.Push(c.When, c)
}

func (q *delayedWorkQueue) pop() (*cell.Cell, Task) {
	if !q.lineFirst() {
		return q.heap.Pop(), nil
	}
	c := q.line.first()
	q.line.remove(c)
	return c, nil
}

func (q *delayedWorkQueue) head() int64 {
	if q.lineFirst() {
		return q.line.first().When
	}
	if q.heap.Len() == 0 {
		return parking.Nothing
	}
	when, _ := q.heap.Min()
	return when
}

// lineFirst reports whether the head is that of the line.
func (q *delayedWorkQueue) lineFirst() bool {
	if q.line.len() == 0 || q.heap.Len() == 0 {
		return q.line.len() > 0
	}
	_, least := q.heap.Min()
	return compare(q.line.first(), least) < 0
}

func (q *delayedWorkQueue) remove(c *cell.Cell) bool {
	if i := int(c.Place) - 1; q.heap.Holds(i, c) {
		q.heap.Remove(i)
		return true
	}
	return q.line.remove(c)
}

func (q *delayedWorkQueue) len() int { return q.heap.Len() + q.line.len() }

func (q *delayedWorkQueue) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	out := q.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) })
	for _, c := range q.line.all() {
		if !keep(c) {
			q.line.remove(c)
			out = append(out, c)
		}
	}
	slices.SortFunc(out, compare)
	return out
}

func (q *delayedWorkQueue) tasks() []*cell.Cell {
	_, cells := q.heap.Sorted()
	cells = append(cells, q.line.all()...)
	slices.SortFunc(cells, compare)
	return cells
}

// compare orders tasks as the heap does.
func compare(a, b *cell.Cell) int {
	if c := cmp.Compare(a.When, b.When); c != 0 {
		return c
	}
	return cmp.Compare(a.Order, b.Order)
}
