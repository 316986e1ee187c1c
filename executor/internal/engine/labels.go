package engine

import (
	"context"
	"runtime/pprof"
)

// A goroutine that runs a task carries the names of pool and task as pprof labels, "pool" and
// "task", if they have any, so that a profile shows where the time went. The context of the run
// has the same labels, and pprof.Do takes them from there. They end with the run, whatever its body
// has done to them; an idle worker carries the name of its pool only.
//
// Other labels that the context of a submitter has, if a task is given its values, are added to
// both.
//
// A task that its caller runs keeps the labels of the caller, though pprof.Do inside it does not
// put them back.

// unlabel gives the calling goroutine the labels of an idle worker.
func (p *Pool) unlabel() {
	base := p.runs.Unnamed
	if base == nil {
		base = context.Background()
	}
	pprof.SetGoroutineLabels(base)
}
