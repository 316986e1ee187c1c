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
	p := vw.pool
	p.mu.Lock()
	line, timed := p.waiting.queue.Extent()
	heldBack := p.waiting.heldBack + len(p.waiting.deferred)
	p.mu.Unlock()
	s := runqueue.NewSnapshot(line, timed, heldBack, seen)
	p.mu.Lock()
	defer p.mu.Unlock()
	also()
	// Only the queue can be looked at in order.
	p.waiting.recallLocked()
	p.waiting.queue.Look(&s)
	outside := slices.AppendSeq(p.waiting.allHeldBackLocked(), maps.Keys(p.waiting.deferred))
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
	p := vw.pool
	if n <= 0 {
		return nil
	}
	s := runqueue.NewGlance(n, seen)
	p.mu.Lock()
	p.waiting.recallLocked()
	p.waiting.queue.Look(&s)
	p.mu.Unlock()
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
	p := vw.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.Door.byNameLocked(name)
}
