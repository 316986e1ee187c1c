package runqueue

import (
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/heap"
)

// sweep takes what is due by then from the shards, unless that has been done.
func (q *Delayed) sweep(by int64) {
	if by <= q.Shards.upTo.Load() {
		return
	}
	q.Shards.upTo.Store(by)
	if q.Shards.earliest.Load() > by {
		return
	}
	large, parts := q.takeDue(by)
	q.takeLarge(by, large)
	if parts > 1 {
		slices.SortFunc(q.swept, Compare)
	}
	q.takeIn()
}

// takeIn takes in what has been swept. Most of it comes after all that is ripe, and so becomes ripe
// at once.
func (q *Delayed) takeIn() {
	for _, c := range q.swept {
		if q.mayFollow(c) {
			q.ripe.Push(c)
		} else {
			q.heap.Push(c.When, c)
		}
	}
	clear(q.swept)
	q.swept = q.swept[:0]
}

// takeDue takes what is due by then, in order, from so many shards, and returns those in which that
// is most of many, locked.
func (q *Delayed) takeDue(by int64) (large []*shard, parts int) {
	for i := range q.Shards.list {
		s := &q.Shards.list[i]
		if s.head.Load() > by {
			continue
		}
		s.mu.Lock()
		if s.swept = by; q.isRipening(&s.heap, by) {
			large = append(large, s)
			continue
		}
		q.swept = s.takeDue(by, q.swept)
		s.publish()
		s.mu.Unlock()
		parts++
	}
	return large, parts
}

// takeLarge takes what is due from shards in which that is most of many, and unlocks them.
func (q *Delayed) takeLarge(by int64, large []*shard) {
	if len(large) == 0 {
		return
	}
	heaps := make([]*heap.Heap[*cell.Cell], len(large))
	for i, s := range large {
		heaps[i] = &s.heap
	}
	if q.mayCut() {
		q.cutOut(by, heaps...)
	} else {
		for _, h := range heaps {
			q.heap.Absorb(h, by)
		}
	}
	for _, s := range large {
		s.publish()
		s.mu.Unlock()
	}
}

// mayFollow reports whether c comes after all ripe tasks, and before all that are cut out.
func (q *Delayed) mayFollow(c *cell.Cell) bool {
	return q.cut.Len() == 0 && (q.ripe.Len() == 0 || q.compare(q.ripe.Last(), c) < 0)
}

// mayCut reports whether nothing is cut out, and nothing ripe.
func (q *Delayed) mayCut() bool { return q.cut.Len() == 0 && q.ripe.Len() == 0 }

// isRipening reports whether a heap is large, and most of it is due.
func (q *Delayed) isRipening(h *heap.Heap[*cell.Cell], now int64) bool {
	return h.Len() >= q.large && h.Mostly(now)
}

// cutOut cuts out of heaps what is due. The first few become ripe at once: as many as may be taken
// before the others have been dealt to their rows, as each taker deals one piece.
func (q *Delayed) cutOut(by int64, heaps ...*heap.Heap[*cell.Cell]) {
	var first []*cell.Cell
	for _, h := range heaps {
		for range min(heap.MostPieces, h.Len()) {
			if when, _ := h.Min(); when <= by {
				first = append(first, h.Pop())
			}
		}
	}
	slices.SortFunc(first, q.compare)
	for i, c := range first {
		if i < heap.MostPieces {
			q.ripe.Push(c)
		} else {
			q.heap.Push(q.readyAt(c), c)
		}
	}
	q.cut = heap.Cut(by, q.step, heaps...)
	if q.ripe.Len() == 0 {
		q.cutOn()
	}
}
