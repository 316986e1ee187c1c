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
func (vw *Views) see(also func()) runqueue.Snapshot {
	vw.pool.mu.Lock()
	line, timed := vw.pool.waiting.queue.Extent()
	heldBack := vw.pool.waiting.heldBack + len(vw.pool.waiting.deferred)
	vw.pool.mu.Unlock()
	s := runqueue.NewSnapshot(line, timed, heldBack, seen)
	vw.pool.mu.Lock()
	defer vw.pool.mu.Unlock()
	also()
	// Only the queue can be looked at in order.
	vw.pool.waiting.recallLocked()
	vw.pool.waiting.queue.Look(&s)
	outside := slices.AppendSeq(vw.pool.waiting.allHeldBackLocked(), maps.Keys(vw.pool.waiting.deferred))
	slices.SortStableFunc(outside, compareDue)
	for _, c := range outside {
		s.AddHeldBack(c)
	}
	return s
}

// Queued returns the tasks that wait, in the order in which they are due.
func (vw *Views) Queued() []Pending {
	seen := vw.see(func() {})
	tasks := seen.InOrder()
	pending := make([]Pending, len(tasks))
	for i, w := range tasks {
		pending[i] = vw.pending(w)
	}
	return pending
}

// Next returns the first n of the tasks that wait in the queue.
func (vw *Views) Next(n int) []Pending {
	if n <= 0 {
		return nil
	}
	s := runqueue.NewGlance(n, seen)
	vw.pool.mu.Lock()
	vw.pool.waiting.recallLocked()
	vw.pool.waiting.queue.Look(&s)
	vw.pool.mu.Unlock()
	first := s.First()
	pending := make([]Pending, len(first))
	for i, w := range first {
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
func (vw *Views) Named(name string) *cell.Cell {
	vw.pool.mu.Lock()
	defer vw.pool.mu.Unlock()
	return vw.pool.Door.byNameLocked(name)
}
