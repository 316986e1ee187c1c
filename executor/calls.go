package executor

import "github.com/punctual-go/punctual/internal/goid"

// calls are the submissions in progress of a group or a service, by their goroutines, each as often
// as they are nested there. The caller may run the task itself: if that waits for all submissions to
// end, it waits for its own. The lock of the group or service guards them.
type calls struct {
	all int
	by  map[uint64]int
}

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

// own returns how many of them the calling goroutine is in the midst of.
func (cs *calls) own() int { return cs.by[goid.Current()] }
