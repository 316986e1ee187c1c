package runqueue

import (
	"math/bits"

	"github.com/punctual-go/punctual/internal/cell"
)

// FIFO is a queue of tasks in order of arrival from which any task can be removed: a ring in which
// removal empties a slot. Len, Push, First and Remove are O(1), amortized. The zero FIFO is empty.
//
// A task knows its slot by a negative Place: -1 minus its position. The low bits of a position are
// the index in the ring. Positions only grow, so they remain valid when the ring grows.
type FIFO struct {
	ring       []*cell.Cell // a power of two long; nil where a task was removed
	head, tail uint32       // positions of the first task and of the next to come
	live       int
}

const (
	minRing      = 8
	positionMask = 1<<31 - 1
)

// Len returns how many tasks there are.
func (q *FIFO) Len() int { return q.live }

// Push adds c behind all others.
func (q *FIFO) Push(c *cell.Cell) {
	if int(q.tail-q.head) == len(q.ring) {
		q.resize()
	}
	q.put(c)
	q.live++
}

// First returns the first task; the queue must not be empty.
func (q *FIFO) First() *cell.Cell { return q.ring[q.slot(q.head)] }

// Last returns the last task; the queue must not be empty.
func (q *FIFO) Last() *cell.Cell {
	for p := q.tail - 1; ; p-- {
		if c := q.ring[q.slot(p)]; c != nil {
			return c
		}
	}
}

// Remove takes c out, and reports whether it was in the queue.
func (q *FIFO) Remove(c *cell.Cell) bool {
	if c.Place >= 0 {
		return false
	}
	slot := q.slot(uint32(-(c.Place + 1)))
	if slot >= len(q.ring) || q.ring[slot] != c {
		return false
	}
	q.ring[slot] = nil
	c.Place = 0
	q.live--
	for q.head != q.tail && q.ring[q.slot(q.head)] == nil { // First relies on it
		q.head++
	}
	// Without this, removals from the middle would leave the ring, and a walk through it, as long
	// as ever.
	span := int(q.tail - q.head)
	if span > minRing && q.live < span/4 || len(q.ring) > minRing && q.live < len(q.ring)/8 {
		q.resize()
	}
	return true
}

// All returns the tasks in order.
func (q *FIFO) All() []*cell.Cell {
	cells := make([]*cell.Cell, 0, q.live)
	for p := q.head; p != q.tail; p++ {
		if c := q.ring[q.slot(p)]; c != nil {
			cells = append(cells, c)
		}
	}
	return cells
}

// filter keeps the tasks that keep accepts, and returns the others in order.
func (q *FIFO) filter(keep func(c *cell.Cell) bool) (out []*cell.Cell) {
	for _, c := range q.All() {
		if !keep(c) {
			q.Remove(c)
			out = append(out, c)
		}
	}
	return out
}

// ringSize returns the least power of two above n.
func ringSize(n int) int { return max(minRing, 1<<bits.Len(uint(n))) }

// resize moves the tasks, without gaps, to a ring of which they fill a quarter to a half.
func (q *FIFO) resize() {
	cells := q.All()
	q.ring = make([]*cell.Cell, ringSize(2*len(cells)))
	q.head = q.tail
	for _, c := range cells {
		q.put(c)
	}
}

func (q *FIFO) put(c *cell.Cell) {
	q.ring[q.slot(q.tail)] = c
	c.Place = -1 - int32(q.tail&positionMask)
	q.tail++
}

func (q *FIFO) slot(position uint32) int { return int(position) & (len(q.ring) - 1) }
