package executor

import (
	"iter"

	"github.com/punctual-go/punctual/internal/cell"
)

// Tasks yields the tasks of the pool that have not ended, as of one moment: first those that run,
// in no order, then those that wait, in the order in which they are due. It leaves out the tasks of
// Execute and ExecuteAfter without options, of which there is nothing to tell. Tasks may end while
// it goes on, and its consumer may call the pool. It takes the lock for O(n), to copy references,
// and sorts without it.
func (p *Pool) Tasks() iter.Seq[Handle] {
	return func(yield func(Handle) bool) {
		for _, c := range p.engine().Views.Live() {
			if !c.Phase().Settled() && !yield(p.handle(c)) {
				return
			}
		}
	}
}

// Series returns the periodic tasks that have not ended, in no order. It takes the lock for O(n),
// to copy references: some 20 µs for a hundred thousand.
func (p *Pool) Series() []Handle {
	cells := p.engine().Runs().Enrolled()
	handles := make([]Handle, 0, len(cells))
	for _, c := range cells {
		if !c.Phase().Settled() {
			handles = append(handles, p.handle(c))
		}
	}
	return handles
}

// Lookup returns the live task that has this name. If several have it, the one that is [Unique] is
// found, and if none is, none: they are ambiguous, and only [Pool.Tasks] tells them apart. Nor is
// there a task without a name. Lookup costs O(1) for a unique task, and what Tasks costs for any
// other.
func (p *Pool) Lookup(name string) (h Handle, ok bool) {
	if name == "" {
		return h, false
	}
	if c := p.engine().Views.Named(name); c != nil {
		return p.handle(c), true
	}
	for other := range p.Tasks() {
		switch {
		case other.Name() != name:
		case ok:
			return Handle{}, false
		default:
			h, ok = other, true
		}
	}
	return h, ok
}

func (p *Pool) handle(c *cell.Cell) Handle { return Handle(cell.RefTo(c)) }
