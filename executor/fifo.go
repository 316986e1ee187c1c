package executor

import (
	"math/bits"

	"github.com/punctual-go/punctual/internal/cell"
)

// fifo is a queue of tasks in order of arrival, from which any one can be removed: a ring whose
// slots are emptied by removal. All calls are O(1), amortized. The zero fifo is empty.
//
// A task knows its slot by a negative Place: -1 minus its position, of which the low bits are the
// index in the ring. Positions only grow, so they survive a growing ring.
type fifo struct {
	ring       []*cell.Cell // a power of two long; nil where a task was removed
	head, tail uint32       // positions of the first task and of the next to come
	live       int
}

const (
	minRing      = 8
	positionMask = 1<<31 - 1
)

func (q *fifo) len() int { return q.live }

func (q *fifo) push(c *cell.Cell) {
	if int(q.tail-q.head) == len(q.ring) {
		q.resize()
	}
	q.put(c)
	q.live++
}

// first returns the first task; the queue must not be empty.
func (q *fifo) first() *cell.Cell { return q.ring[q.slot(q.head)] }

// remove takes c out if it is in the queue.
func (q *fifo) remove(c *cell.Cell) bool {
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
	for q.head != q.tail && q.ring[q.slot(q.head)] == nil {
		q.head++
	}
	if span := int(q.tail - q.head); span > minRing && q.live < span/4 || q.live < len(q.ring)/8 && len(q.ring) > minRing {
		q.resize()
	}
	return true
}

// all returns the tasks in order.
func (q *fifo) all() []*cell.Cell {
	cells := make([]*cell.Cell, 0, q.live)
	for p := q.head; p != q.tail; p++ {
		if c := q.ring[q.slot(p)]; c != nil {
			cells = append(cells, c)
		}
	}
	return cells
}

// filter keeps the tasks that keep accepts and returns the others, in order.
func (q *fifo) filter(keep func(c *cell.Cell) bool) (out []*cell.Cell) {
	for _, c := range q.all() {
		if !keep(c) {
			q.remove(c)
			out = append(out, c)
		}
	}
	return out
}

// ringSize is the least power of two above n.
func ringSize(n int) int { return max(minRing, 1<<bits.Len(uint(n))) }

// resize moves the tasks to a ring that they fill by a quarter to a half, without gaps.
func (q *fifo) resize() {
	cells := q.all()
	q.ring = make([]*cell.Cell, ringSize(2*len(cells)))
	q.head = q.tail
	for _, c := range cells {
		q.put(c)
	}
}

func (q *fifo) put(c *cell.Cell) {
	q.ring[q.slot(q.tail)] = c
	c.Place = -1 - int32(q.tail&positionMask)
	q.tail++
}

func (q *fifo) slot(position uint32) int { return int(position) & (len(q.ring) - 1) }
