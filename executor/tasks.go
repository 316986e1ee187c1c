package executor

import (
	"iter"
	"slices"

	"github.com/punctual-go/punctual/internal/cell"
)

// Tasks yields the tasks of the pool that have not ended, as of one moment: first those that run,
// in no order, then those that wait, in the order in which they are due. It leaves out the tasks of
// Execute and ExecuteAfter without options, of which there is nothing to tell. Tasks may end while
// it goes on, and its consumer may call the pool. It takes the lock for O(n), to copy references,
// and sorts without it.
func (p *Pool) Tasks() iter.Seq[Handle] {
	return func(yield func(Handle) bool) {
		for _, c := range append(p.running(), p.waiting()...) {
			if !c.Phase().Settled() && !yield(p.handle(c)) {
				return
			}
		}
	}
}

// Lookup returns the live task of this name, if it is [Unique]. O(1).
func (p *Pool) Lookup(name string) (Handle, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c := p.byNameLocked(name); c != nil {
		return p.handle(c), true
	}
	return Handle{}, false
}

func (p *Pool) handle(c *cell.Cell) Handle { return Handle{c, (*host)(p)} }

// running returns the tasks in a run, but those without a cell of their own.
func (p *Pool) running() (cells []*cell.Cell) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for x := range p.executionsLocked() {
		if x.Task != nil && !x.bare {
			cells = append(cells, x.Task)
		}
	}
	return cells
}

// waiting returns the tasks that wait, but those of Execute without options.
func (p *Pool) waiting() []*cell.Cell {
	see := p.see()
	return slices.Collect(func(yield func(*cell.Cell) bool) {
		for _, w := range see.InOrder() {
			if listed := w.Cell != nil && w.Plan != p.executed.Cells(); listed && !yield(w.Cell) {
				return
			}
		}
	})
}
