package eventloop

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
)

// link is a task on its way to the loop. It is one allocation with its future: the submitter's
// object is itself the node of the intake. A task is pushed once in its life, so the same link can
// later be its place in the line of the agenda.
type link struct {
	after *link // owned by the pusher, then by the loop
	cell  *cell.Cell
}

// intake is where tasks from outside arrive: a stack that any number of goroutines push to, and
// that the loop takes as a whole (Treiber 1986, with pop replaced by taking all). Both are one
// atomic exchange on top; a push that finds another one came first tries again.
//
//	open, empty  -> open, filled  push
//	open, filled -> open, empty   take
//	open         -> closed        close, which also takes what is there
//
// Every pushed link is taken exactly once, in the order of the pushes. A push fails exactly when it
// comes after close, so a task is either refused, or the loop answers for it. As the stack is taken
// whole, and no link is pushed twice, there is no ABA problem.
//
// take and close are called with the loop's lock held. The zero intake is open.
type intake struct {
	top  atomic.Pointer[link] // last link pushed; &shut once closed
	shut link
}

// push adds a link, or reports false if the intake is closed. It takes no lock.
func (in *intake) push(n *link) bool {
	for {
		top := in.top.Load()
		if top == &in.shut {
			return false
		}
		n.after = top
		if in.top.CompareAndSwap(top, n) {
			return true
		}
	}
}

// empty reports whether there is nothing to take.
func (in *intake) empty() bool {
	top := in.top.Load()
	return top == nil || top == &in.shut
}

// isClosed reports whether every later push fails.
func (in *intake) isClosed() bool { return in.top.Load() == &in.shut }

// take removes all links and returns them in order of arrival, chained by after.
func (in *intake) take() *link {
	if in.empty() {
		return nil
	}
	return reversed(in.top.Swap(nil))
}

// close is a last take, after which every push fails.
func (in *intake) close() *link {
	top := in.top.Swap(&in.shut)
	if top == &in.shut {
		return nil
	}
	return reversed(top)
}

// reversed turns the stack, last link first, into a chain in order of arrival.
func reversed(n *link) (first *link) {
	for n != nil {
		n, n.after, first = n.after, first, n
	}
	return first
}
