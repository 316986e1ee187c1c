package completion

import "github.com/punctual-go/punctual/internal/goid"

// Calls are the submissions in progress of a group or completion service, by goroutine, each as
// often as it is nested there. A caller may run the task itself, inside its submission. If the task
// then waits for all submissions to end, it waits for its own, and would wait forever. The lock of
// the group or service guards them.
type Calls struct {
	All int // of all goroutines
	by  map[uint64]int
}

// Begin counts a call of the calling goroutine.
func (cs *Calls) Begin() {
	if cs.by == nil {
		cs.by = map[uint64]int{}
	}
	cs.All++
	cs.by[goid.Current()]++
}

// End ends a call that the calling goroutine has begun.
func (cs *Calls) End() {
	self := goid.Current()
	cs.All--
	if cs.by[self]--; cs.by[self] == 0 {
		delete(cs.by, self)
	}
}

// Own returns how many of the calls the calling goroutine is inside.
func (cs *Calls) Own() int { return cs.by[goid.Current()] }
