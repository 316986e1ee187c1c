package engine

import (
	"iter"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// enter makes x the innermost execution on the calling goroutine.
func (r *runners) enter(x *execution) {
	x.goroutine = goid.Current()
	if outer, ok := r.innermost.Swap(x.goroutine, x); ok {
		x.outer = outer.(*execution)
		x.depth = x.outer.depth + 1
	}
}

// leave undoes enter, on the same goroutine.
func (r *runners) leave(x *execution) {
	switch {
	case x.goroutine == 0: // it has left already
		return
	case x.outer != nil:
		r.innermost.Store(x.goroutine, x.outer)
	default:
		r.innermost.Delete(x.goroutine)
	}
	x.goroutine, x.outer, x.depth = 0, nil, 0
}

// current returns the innermost run of the pool on the calling goroutine, or nil.
func (p *Pool) current() *execution {
	found, ok := p.runners.innermost.Load(goid.Current())
	if !ok {
		return nil
	}
	for x := found.(*execution); x != nil; x = x.outer {
		if x.Task != nil { // the goroutine's own, so it needs no lock to read it
			return x
		}
	}
	return nil
}

// outwards yields x and the runs outside it on the same goroutine.
func (x *execution) outwards() iter.Seq[*execution] {
	return func(yield func(*execution) bool) {
		for ; x != nil; x = x.outer {
			if x.Task != nil && !yield(x) {
				return
			}
		}
	}
}

// isBehind reports whether c cannot end before a run on the goroutine of x does: because it is that
// run, or comes after it.
func (x *execution) isBehind(c *cell.Cell) bool {
	for run := range x.outwards() {
		if run.Task == c || comesAfter(c, run.Task) {
			return true
		}
	}
	return false
}

// Caller is the run on the goroutine that asks, if that is one of the pool's.
type Caller struct{ x *execution }

// Caller returns which run of the pool the calling goroutine is in.
func (p *Pool) Caller() Caller { return Caller{p.current()} }

// IsRun reports whether the caller is in a run of the pool.
func (c Caller) IsRun() bool { return c.x != nil }

// IsAheadOf reports whether the caller is in a run without whose end the task cannot end.
func (c Caller) IsAheadOf(task *cell.Cell) bool { return c.x != nil && c.x.isBehind(task) }
