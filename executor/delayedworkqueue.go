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
	push(c *cell.Cell)
	// head tells when the head may run, or parking.Nothing. Due means that it may run whatever the time is.
	head() (when int64, due bool)
	// pop takes out the head, of which head has just told. It is a task with a cell, or bare. The time may
	// be unread.
	pop(now int64) entry
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
//
// To pop one by one what is due from a large heap is a walk through memory for each. So when most of
// such a heap is due, all that is due leaves it at once, sorted, for the ripe tasks. Later arrivals may still
// come before them: the late runs of a series. The head is the earliest of the three.
type delayedWorkQueue struct {
	heap heap.Heap[*cell.Cell]
	ripe fifo
	line *inbox

	large int  // how many tasks are a large heap
	pops  uint // from the heap
}

// newDelayedWorkQueue returns an empty queue with the given line.
func newDelayedWorkQueue(line *inbox) *delayedWorkQueue {
	return &delayedWorkQueue{line: line, large: 1 << 9}
}

func (q *delayedWorkQueue) push(c *cell.Cell) { q.heap.Push(c.When, c) }

func (q *delayedWorkQueue) pop(now int64) entry {
	c, inHeap := q.firstTimed()
	switch {
	case q.line.out.live() && (c == nil || q.line.out.first().precedes(c)):
		return q.line.pop(now)
	case inHeap:
		q.heap.Pop()
		q.ripen(now)
	default:
		q.ripe.remove(c)
	}
	return entry{slot: slot{cell: c}}
}

// ripen takes the due tasks out of a large heap, if they are most of it. To see that, once in a while is
// enough. The lock is held for all of them in one piece, some tens of milliseconds for a million, which is a
// fraction of what it would be held to pop them.
func (q *delayedWorkQueue) ripen(now int64) {
	if q.pops++; q.pops%checkEvery != 0 || q.heap.Len() < q.large || q.ripe.len() > 0 || !q.heap.Mostly(now) {
		return
	}
	n, due := q.heap.Cut(now)
	q.ripe.reserve(n)
	for c := range due {
		q.ripe.push(c)
	}
}

// checkEvery is after how many tasks it is seen whether most of the heap is due.
const checkEvery = 1 << 6

// firstTimed returns the first of the tasks that are in the heap or ripe, nil if there is none.
func (q *delayedWorkQueue) firstTimed() (c *cell.Cell, inHeap bool) {
	if q.heap.Len() > 0 {
		_, c = q.heap.Min()
		inHeap = true
	}
	if q.ripe.len() > 0 && (c == nil || compare(q.ripe.first(), c) < 0) {
		return q.ripe.first(), false
	}
	return c, inHeap
}

func (q *delayedWorkQueue) head() (when int64, due bool) {
	c, inHeap := q.firstTimed()
	if q.line.live() {
		if first := q.line.out.first(); c == nil || first.precedes(c) {
			return first.when, true
		}
	}
	if c == nil {
		return parking.Nothing, false
	}
	return c.When, !inHeap
}

// precedes reports whether a task that came to the inbox at s is before c, of the heap.
func (s stamp) precedes(c *cell.Cell) bool {
	return s.when < c.When || s.when == c.When && s.after < c.Order
}

func (q *delayedWorkQueue) remove(c *cell.Cell) bool {
	if c.Place < 0 {
		return q.ripe.remove(c) || q.line.remove(c)
	}
	i := int(c.Place) - 1
	if !q.heap.Holds(i, c) {
		return false
	}
	q.heap.Remove(i)
	return true
}

func (q *delayedWorkQueue) len() int { return q.beside() + q.line.len() }

// beside is how many tasks there are that are not in the line.
func (q *delayedWorkQueue) beside() int { return q.heap.Len() + q.ripe.len() }

func (q *delayedWorkQueue) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	timed := q.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) })
	if ripe := q.ripe.filter(keep); len(ripe) > 0 {
		timed = append(timed, ripe...)
		slices.SortFunc(timed, compare)
	}
	return weave(q.line.filter(keep), timed)
}

func (q *delayedWorkQueue) tasks() []*cell.Cell {
	_, timed := q.heap.Sorted()
	if q.ripe.len() > 0 {
		timed = append(timed, q.ripe.all()...)
		slices.SortFunc(timed, compare)
	}
	return weave(q.line.tasks(), timed)
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
