package engine

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// Held back are the accepted tasks that wait outside the queue, behind others of their serial
// executor. They count as queued.

// removeHeldBackLocked removes c if it is held back, and reports whether it was.
func (ws *waiting) removeHeldBackLocked(c *cell.Cell) bool {
	s := planOf(c).strand
	return s != nil && ws.endHoldLocked(s, c)
}

// allHeldBackLocked returns the tasks held back, in order of submission, which the map of strands
// does not keep.
func (ws *waiting) allHeldBackLocked() (cells []*cell.Cell) {
	for s := range ws.strands.entries {
		cells = append(cells, s.waiting.All()...)
	}
	slices.SortStableFunc(cells, compareDue)
	return cells
}

// merge puts tasks that wait elsewhere between those of the queue, by their times as far as these
// are known.
func merge(queue, elsewhere []*cell.Cell) []*cell.Cell {
	return runqueue.Interleave(queue, elsewhere, func(a, b *cell.Cell) bool {
		return planOf(a).DueAt(a) < planOf(b).DueAt(b)
	})
}

// inOrderLocked returns tasks of the queue, which come as they may begin, in the order of their
// times: what has been put off is moved to where it would have been. The queue of a plain pool has
// an order of its own.
func (ws *waiting) inOrderLocked(queue []*cell.Cell) []*cell.Cell {
	if ws.pool.plain {
		return queue
	}
	var late []*cell.Cell
	onTime := slices.DeleteFunc(queue, func(c *cell.Cell) bool {
		putOff := ws.readyAt(c) > planOf(c).DueAt(c)
		if putOff {
			late = append(late, c)
		}
		return putOff
	})
	slices.SortFunc(late, compareDue)
	return merge(onTime, late)
}

// takeHeldBackLocked removes all tasks held back, and returns them in order of submission.
func (ws *waiting) takeHeldBackLocked() []*cell.Cell {
	cells := ws.allHeldBackLocked()
	for _, c := range cells {
		ws.removeHeldBackLocked(c)
	}
	return cells
}

// holdBackLocked makes c wait for its turn.
func (ws *waiting) holdBackLocked(s *strand, c *cell.Cell) {
	s.waiting.Push(c)
	ws.heldBack++
	if s.waiting.Len() == 1 {
		ws.strands.put(s, struct{}{})
	}
}

// endHoldLocked takes c out of those that wait for their turn, and reports whether it was among
// them.
func (ws *waiting) endHoldLocked(s *strand, c *cell.Cell) bool {
	if !s.waiting.Remove(c) {
		return false
	}
	ws.heldBack--
	if s.waiting.Len() == 0 {
		ws.strands.remove(s)
	}
	return true
}
