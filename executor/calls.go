package executor

import "github.com/punctual-go/punctual/internal/goid"

// calls are the submissions in progress of a group or completion service, by goroutine, each as
// often as it is nested there. A caller may run the task itself, inside its submission. If the task
// then waits for all submissions to end, it waits for its own, and would wait forever. The lock of
// the group or service guards them.
type calls struct {
	all int
	by  map[uint64]int
}

// begin counts a call of the calling goroutine.
func (cs *calls) begin() {
	if cs.by == nil {
		cs.by = map[uint64]int{}
	}
	cs.all++
	cs.by[goid.Current()]++
}

// end ends a call that the calling goroutine has begun.
func (cs *calls) end() {
	self := goid.Current()
	cs.all--
	if cs.by[self]--; cs.by[self] == 0 {
		delete(cs.by, self)
	}
}

// own returns how many of the calls the calling goroutine is inside.
func (cs *calls) own() int { return cs.by[goid.Current()] }
