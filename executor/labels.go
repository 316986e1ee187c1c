package executor

import (
	"context"
	"runtime/pprof"
)

// A goroutine that runs a task carries the names of the pool and of the task as pprof labels, "pool"
// and "task", if they have any; so a profile tells what the time went into. The labels come with the
// context of the run as well, from which pprof.Do takes them. They end with the run, whatever its body
// has done with them, and an idle worker carries the name of its pool only. A task that its caller
// runs keeps the labels of the caller, though pprof.Do inside of it does not put them back.

// unlabel gives the calling goroutine the labels of an idle worker.
func (p *Pool) unlabel() {
	base := p.runs.Base
	if base == nil {
		base = context.Background()
	}
	pprof.SetGoroutineLabels(base)
}
