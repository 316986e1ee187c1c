package simulate

import (
	"fmt"
	"slices"
	"time"
)

// call is one submission of tasks with the wait for them: by which method, with whose context, and
// from where.
type call struct {
	job      *job // whose it is; nil for the driver's
	site     callSite
	method   waitMethod
	origin   contextOrigin
	above    *job // for the outer context
	pick     int  // for that of another
	detached bool // from the end of the context
	wrapped  bool // in a type of the user's own
	derived  bool
	limit    time.Duration // of the wait, or 0
	host     *host         // of AwaitTermination
	children []*job
	pause    time.Duration // after the submissions
	cancels  bool          // one of the children, before the wait
}

// callSite is where a call is made: the further from the goroutine of its run, the less an executor
// can know of it.
type callSite uint8

const (
	onRun          callSite = iota // the goroutine of the run
	onJoined                       // one that the run waits for
	onDetached                     // one that goes on by itself
	inPull                         // the function of iter.Pull
	inHandRun                      // a task run by hand, on the goroutine of the run
	afterRunEnd                    // a function of context.AfterFunc, when the run has ended
	afterOtherTask                 // a function of Then
	callSites
)

// String says where, for faults.
func (l callSite) String() string {
	return [...]string{"on the run", "on a goroutine it joins", "on a goroutine",
		"inside of iter.Pull",
		"in a run by hand", "after the run", "after another task"}[l]
}

// String describes c for faults.
func (c *call) String() string {
	text := fmt.Sprintf("%v of %d with the context %v", c.method, len(c.children), c.origin)
	if c.detached {
		text += ", detached"
	}
	if c.wrapped {
		text += ", wrapped"
	}
	if c.limit > 0 {
		text += fmt.Sprintf(", for %v", c.limit)
	}
	text += fmt.Sprint(", ", c.site)
	if c.job != nil {
		text += fmt.Sprint(", of ", c.job)
	}
	if len(c.children) > 0 {
		text += fmt.Sprint(", for ", c.children[0])
	}
	return text
}

// blocks reports whether the run waits for the call.
func (c *call) blocks() bool {
	return c.site == onRun || c.site == onJoined || c.site == inPull || c.site == inHandRun
}

// waitsForRoom reports whether a submission of c waits for room in the queue.
func (c *call) waitsForRoom() bool {
	return slices.ContainsFunc(c.children, func(j *job) bool { return j.waitsForRoom })
}

// onRunGoroutine reports whether the call is made on the goroutine of the run.
func (c *call) onRunGoroutine() bool { return c.site == onRun || c.site == inHandRun }
