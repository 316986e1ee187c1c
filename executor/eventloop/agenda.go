package eventloop

import (
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
)

// agenda holds the tasks that wait on the loop, by due time, equal times in order of arrival. The
// loop's lock guards it.
//
// A task that is due as it arrives is usually due later than every such task before it. These tasks
// form a line that is sorted by itself, so they skip the heap: O(1) in and out. The head of the
// agenda is the earlier of the two heads. That keeps the order without a look at the clock:
// everything in the line is due, so a task of the heap that is earlier than one in the line is due
// as well, and tasks for now cannot hide overdue ones, however many there are.
type agenda struct {
	heap heap.Heap[*cell.Cell]
	line line
}

// line is a queue of links, sorted by time.
type line struct {
	first, last *link
	count       int
	tombstones  int // at least the number of cancelled tasks in it
}

// add puts a task that has just arrived on the agenda. Its order is above that of all others, so
// among equal times it comes last. Should the clock have been read out of order, and the task be
// earlier than the end of the line, it goes to the heap instead.
func (a *agenda) add(n *link, now int64) {
	if c := n.cell; c.When <= now && (a.line.last == nil || a.line.last.cell.When <= c.When) {
		a.line.push(n)
		return
	}
	a.heap.Push(n.cell.When, n.cell)
}

// head returns the first task, or nil if the agenda is empty.
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

// pop removes and returns the head; the agenda must not be empty.
func (a *agenda) pop() *cell.Cell {
	if a.lineFirst() {
		return a.line.pop()
	}
	return a.heap.Pop()
}

// lineFirst reports whether the head stands in the line.
func (a *agenda) lineFirst() bool {
	if a.line.count == 0 || a.heap.Len() == 0 {
		return a.line.count > 0
	}
	_, least := a.heap.Min()
	return precedes(a.line.first.cell, least)
}

// remove takes c out if it is in the heap, and reports whether it was. O(log n).
func (a *agenda) remove(c *cell.Cell) bool {
	i := int(c.Place) - 1
	if !a.heap.Holds(i, c) {
		return false
	}
	a.heap.Remove(i)
	return true
}

// extract takes c out wherever it is, and reports whether it was there. O(log n), or O(n) if it is
// in the line.
func (a *agenda) extract(c *cell.Cell) bool {
	if a.remove(c) {
		return true
	}
	return len(a.line.filter(func(other *cell.Cell) bool { return other != c })) > 0
}

func (a *agenda) len() int { return a.heap.Len() + a.line.count }

// filter keeps the tasks that keep accepts, and returns the others in order.
func (a *agenda) filter(keep func(c *cell.Cell) bool) []*cell.Cell {
	timed := a.heap.Filter(func(_ int64, c *cell.Cell) bool { return keep(c) })
	return runqueue.Interleave(a.line.filter(keep), timed, precedes)
}

// precedes reports whether a comes before b, by time and then by order of arrival.
func precedes(a, b *cell.Cell) bool { return runqueue.Compare(a, b) < 0 }

// filter keeps the tasks that keep accepts, and returns the others in order.
func (q *line) filter(keep func(c *cell.Cell) bool) (out []*cell.Cell) {
	kept := line{tombstones: q.tombstones}
	for q.count > 0 {
		if n := q.shift(); keep(n.cell) {
			kept.push(n)
		} else {
			out = append(out, n.cell)
		}
	}
	*q = kept
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

// tidy removes the cancelled tasks once they are many and may outnumber the others, and returns how
// many it removed. The loop drops them by itself when it comes to them, but one long body may keep
// it from that for long. Waiting until they are half of the line makes the cost O(1) per
// cancellation.
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

// shift removes the first link. It clears the link to the next, so that whoever keeps this task's
// future does not keep every task behind it in memory.
func (q *line) shift() *link {
	n := q.first
	if q.first, n.after = n.after, nil; q.first == nil {
		q.last = nil
	}
	q.count--
	return n
}
