package eventloop

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
)

// link is a task on its way to the loop, in one allocation with its future: what a submitter makes is
// itself the node of the intake. A task is pushed once, and its link is also its place in the line of the
// agenda.
type link struct {
	after *link // the pusher's, then the loop's
	cell  *cell.Cell
}

// intake is where tasks from outside come in: a stack that any number of goroutines push to, and one at a
// time takes as a whole. Both are one atomic exchange on top; a push is repeated when another came first.
//
//	open, empty -> open, filled  push
//	open, filled -> open, empty  take
//	open -> closed               close, which takes what is there
//
// Whatever is pushed is taken once, in the order of the pushes, and a push fails exactly when it comes
// after close: so a task is refused, or the loop answers for it. As the stack is taken whole and no link is
// pushed twice, no exchange can mistake a new top for an old one.
//
// The loop's lock is held in take and close. The zero intake is open.
type intake struct {
	top  atomic.Pointer[link] // the last to come; &shut when closed
	shut link
}

// push adds a link, and reports false if the intake is closed. It takes no lock.
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

// isClosed reports whether push fails from now on.
func (in *intake) isClosed() bool { return in.top.Load() == &in.shut }

// take returns what has come, first to come first, chained by after.
func (in *intake) take() *link {
	if in.empty() {
		return nil
	}
	return reversed(in.top.Swap(nil))
}

// close is the last take. A closed intake stays closed.
func (in *intake) close() *link {
	top := in.top.Swap(&in.shut)
	if top == &in.shut {
		return nil
	}
	return reversed(top)
}

func reversed(n *link) (first *link) {
	for n != nil {
		n, n.after, first = n.after, first, n
	}
	return first
}
