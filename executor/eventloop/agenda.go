package eventloop

import (
	"cmp"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
)

// agenda is what waits on the loop, by time, equal times in the order of arrival. The loop's lock guards
// it.
//
// A task that is due as it comes has most often a later time than all that came so before it: such tasks
// form a line that is in order by itself, beside the heap. The earlier of the two heads is the head. What
// stands in the line is due, so a task of the heap that comes before it is due too: due tasks are not
// hidden by tasks for now, however many those are, and nobody has to look at the clock for that.
type agenda struct {
	heap heap.Heap[*cell.Cell]
	line line
}

// line is a queue of links in order of their times.
type line struct {
	first, last *link
	count       int
	tombstones  int // no fewer than there are cancelled tasks in it
}

// add puts a task that has come in, or a new run of it, on the agenda. Its order is above all others.
func (a *agenda) add(n *link, now int64) {
	if c := n.cell; c.When <= now && (a.line.last == nil || a.line.last.cell.When <= c.When) {
		a.line.push(n)
		return
	}
	a.heap.Push(n.cell.When, n.cell)
}

// head returns the task that comes first, or nil.
func (a *agenda) head() *cell.Cell {
	if a.lineFirst() {
		return a.line.first.cell
	}
	if a.heap.Len() == 0 {
		return nil
	}
	_, c := a.heap.Min()
	return c
}

// pop takes out the head; the agenda must not be empty.
func (a *agenda) pop() *cell.Cell {
	if a.lineFirst() {
		return a.line.pop()
	}
	return a.heap.Pop()
}

func (a *agenda) lineFirst() bool {
	if a.line.count == 0 || a.heap.Len() == 0 {
		return a.line.count > 0
	}
	_, least := a.heap.Min()
	return compare(a.line.first.cell, least) < 0
}

// remove takes c out if it stands in the heap. O(log n).
func (a *agenda) remove(c *cell.Cell) bool {
	i := int(c.Place) - 1
	if !a.heap.Holds(i, c) {
		return false
	}
	a.heap.Remove(i)
	return true
}

func (a *agenda) len() int { return a.heap.Len() + a.line.count }

// filter keeps the tasks that keep accepts and returns the others, in order.
func (a *agenda) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	out := a.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) })
	kept := line{tombstones: a.line.tombstones}
	for a.line.count > 0 {
		n := a.line.shift()
		if keep(n.cell) {
			kept.push(n)
		} else {
			out = append(out, n.cell)
		}
	}
	a.line = kept
	slices.SortFunc(out, compare)
	return out
}

func (q *line) push(n *link) {
	if q.last == nil {
		q.first = n
	} else {
		q.last.after = n
	}
	q.last = n
	q.count++
}

func (q *line) pop() *cell.Cell { return q.shift().cell }

// tidy takes out the cancelled tasks when there may be more of them than of others, and many, and returns
// how many they were. The loop does so itself as it comes to them, but a body may keep it for long.
func (q *line) tidy() (buried uint64) {
	if q.tombstones < manyNotices || q.tombstones < q.count/2 {
		return 0
	}
	var kept line
	for q.count > 0 {
		if n := q.shift(); n.cell.Phase().Settled() {
			buried++
		} else {
			kept.push(n)
		}
	}
	*q = kept
	return buried
}

// shift takes out the first link, which lets go of the next: whoever keeps its future keeps no other task.
func (q *line) shift() *link {
	n := q.first
	if q.first, n.after = n.after, nil; q.first == nil {
		q.last = nil
	}
	q.count--
	return n
}

// compare orders tasks as the heap does.
func compare(a, b *cell.Cell) int {
	if c := cmp.Compare(a.When, b.When); c != 0 {
		return c
	}
	return cmp.Compare(a.Order, b.Order)
}
