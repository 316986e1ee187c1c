package executor

import (
	"cmp"

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
	// look adds all to a snapshot. Extent tells for how many there should be room in it.
	look(s *snapshot)
	extent() (line, timed int)
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
// such a heap is due, all of it is cut out of the heap, and comes in order to the ripe tasks, row
// by row. That is done a piece at a time by those who take tasks, so that none holds the lock for
// long. As long as anything is cut, there are ripe tasks, which come before it. Later arrivals may
// still come before these: the late runs of a series. The head is the earliest of line, heap, and
// ripe tasks.
type delayedWorkQueue struct {
	heap heap.Heap[*cell.Cell]
	cut  heap.Cutting[*cell.Cell]
	ripe fifo
	line *inbox

	large int  // how many tasks are a large heap
	step  int  // how many of them are a piece
	pops  uint // from the heap
}

const (
	largeHeap  = 1 << 9
	cutStep    = 1 << 12 // some hundred microseconds
	checkEvery = 1 << 6  // after how many tasks it is seen whether most of the heap is due
)

// newDelayedWorkQueue returns an empty queue with the given line.
func newDelayedWorkQueue(line *inbox) *delayedWorkQueue {
	return &delayedWorkQueue{line: line, large: largeHeap, step: cutStep}
}

func (q *delayedWorkQueue) push(c *cell.Cell) { q.heap.Push(c.When, c) }

func (q *delayedWorkQueue) pop(now int64) entry {
	c, inHeap := q.firstTimed()
	switch {
	case q.line.out.live() && (c == nil || q.line.out.first().precedes(c.When, c.Order)):
		return q.line.pop(now)
	case inHeap:
		q.heap.Pop()
		q.ripen(now)
	default:
		q.ripe.remove(c)
		q.cutOn()
	}
	return entry{slot: slot{cell: c}}
}

// ripen cuts the tasks out of a large heap, if most of them are due. To see that, once in a while
// is enough. The first few become ripe at once: no fewer than will be taken until the others have
// been dealt to their rows.
func (q *delayedWorkQueue) ripen(now int64) {
	q.pops++
	if q.pops%checkEvery != 0 || q.heap.Len() < q.large || q.ripe.len() > 0 || !q.heap.Mostly(now) {
		return
	}
	for range heap.Pieces(q.heap.Len(), q.step) {
		if when, c := q.heap.Min(); when <= now {
			q.heap.Pop()
			q.ripe.push(c)
		}
	}
	q.cut = q.heap.Cut(now, q.step)
	if q.ripe.len() == 0 {
		q.cutOn()
	}
}

// cutOn does a piece of the work that is left with what is cut out of the heap, if there is any;
// and more than one only if no ripe task would be left otherwise.
func (q *delayedWorkQueue) cutOn() {
	for worked := false; q.cut.Len() > 0 && (!worked || q.ripe.len() == 0); worked = true {
		switch {
		case q.cut.Dealing():
			q.cut.Deal(&q.heap)
		case q.ripe.len() <= q.step/4:
			for c := range q.cut.Draw() {
				q.ripe.push(c)
			}
		}
	}
}

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
		if first := q.line.out.first(); c == nil || first.precedes(c.When, c.Order) {
			return first.when, true
		}
	}
	if c == nil {
		return parking.Nothing, false
	}
	return c.When, !inHeap
}

// precedes reports whether a task that came to the inbox at s is before one of the heap.
func (s stamp) precedes(when int64, order uint64) bool {
	return s.when < when || s.when == when && s.after < order
}

func (q *delayedWorkQueue) remove(c *cell.Cell) bool {
	if c.Place < 0 {
		ripe := q.ripe.remove(c)
		q.cutOn()
		return ripe || q.line.remove(c)
	}
	switch i := int(c.Place) - 1; {
	case q.heap.Holds(i, c):
		q.heap.Remove(i)
	case q.cut.Holds(i, c):
		q.cut.Remove(i)
	default:
		return false
	}
	return true
}

func (q *delayedWorkQueue) len() int { return q.beside() + q.line.len() }

// beside is how many tasks there are that are not in the line.
func (q *delayedWorkQueue) beside() int { return q.heap.Len() + q.cut.Len() + q.ripe.len() }

func (q *delayedWorkQueue) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	timed := q.cut.Filter(&q.heap, func(_ int64, c *cell.Cell) bool { return keep(c) })
	ripe := q.ripe.filter(keep)
	timed = interleave(timed, ripe, func(a, b *cell.Cell) bool { return compare(a, b) < 0 })
	q.cutOn()
	return weave(q.line.filter(keep), timed)
}

func (q *delayedWorkQueue) look(s *snapshot) {
	q.line.look(s)
	for _, c := range q.ripe.all() {
		s.timed = append(s.timed, seen(c))
	}
	for _, c := range q.cut.All() {
		s.timed = append(s.timed, seen(c))
	}
	for _, c := range q.heap.All() {
		s.timed = append(s.timed, seen(c))
	}
}

func (q *delayedWorkQueue) extent() (line, timed int) { return q.line.len(), q.beside() }

// weave puts the tasks of the line and those of the heap, both in order, in one order.
func weave(line, heap []*cell.Cell) []*cell.Cell {
	return interleave(line, heap, func(heap, line *cell.Cell) bool {
		return !stamp{line.When, line.Order}.precedes(heap.When, heap.Order)
	})
}

// compare orders tasks of the heap as that does.
func compare(a, b *cell.Cell) int {
	if c := cmp.Compare(a.When, b.When); c != 0 {
		return c
	}
	return cmp.Compare(a.Order, b.Order)
}
