package engine

import (
	"maps"
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// see takes a snapshot of what waits, and calls also at the same moment, with the lock held. It
// makes room for them beforehand, in a first hold of the lock, so that nobody has to wait for the
// allocation; what has been added since then makes the snapshot grow.
func (vw *Views) see(also func()) (s runqueue.Snapshot) {
	ws := &vw.pool.waiting
	var line, timed, outside int
	vw.pool.look(func() {
		line, timed = ws.queue.Extent()
		outside = ws.heldBack + len(ws.deferred)
	})
	s = runqueue.NewSnapshot(line, timed, outside, seen)
	vw.pool.look(func() {
		also()
		// Only the queue can be looked at in order.
		ws.recallLocked()
		ws.queue.Look(&s)
		outside := slices.AppendSeq(ws.allHeldBackLocked(), maps.Keys(ws.deferred))
		slices.SortStableFunc(outside, compareDue)
		for _, c := range outside {
			s.AddHeldBack(c)
		}
	})
	return s
}

// Queued returns the tasks that wait, in the order in which they are due.
func (vw *Views) Queued() []Pending {
	s := vw.see(func() {})
	return vw.allPending(s.InOrder())
}

// Next returns the first n of the tasks that wait in the queue.
func (vw *Views) Next(n int) []Pending {
	if n <= 0 {
		return nil
	}
	s := runqueue.NewGlance(n, seen)
	vw.pool.look(func() {
		vw.pool.waiting.recallLocked()
		vw.pool.waiting.queue.Look(&s)
	})
	return vw.allPending(s.First())
}

func (vw *Views) allPending(tasks []runqueue.Waiting) []Pending {
	pending := make([]Pending, len(tasks))
	for i, w := range tasks {
		pending[i] = vw.pending(w)
	}
	return pending
}

// Live returns the tasks in a run and those that wait, but those without a cell of their own.
func (vw *Views) Live() (cells []*cell.Cell) {
	waiting := vw.see(func() {
		for x := range vw.pool.Crew.executionsLocked() {
			if x.Task != nil && !x.bare {
				cells = append(cells, x.Task)
			}
		}
	})
	for _, w := range waiting.InOrder() {
		if w.Cell != nil && w.Plan != vw.pool.Door.executed.Cells() {
			cells = append(cells, w.Cell)
		}
	}
	return cells
}

// Named returns the live task of this name that is unique, or nil.
func (vw *Views) Named(name string) (c *cell.Cell) {
	vw.pool.look(func() { c = vw.pool.Door.names.byName(name) })
	return c
}
