package executor

import (
	"context"
	"runtime/pprof"

	"github.com/punctual-go/punctual/internal/labels"
)

// A goroutine that runs a task carries the names of the pool and of the task as pprof labels, "pool"
// and "task", if they have any; so a profile tells what the time went into. The labels come with the
// context of the run as well, from which pprof.Do takes them. They end with the run, whatever its body
// has done with them, and an idle worker carries the name of its pool only. A task that its caller
// runs keeps the labels of the caller, though pprof.Do inside of it does not put them back.

// labelled returns the context that those of the runs of a task derive from. That of tasks without
// a name is made once: to make one asks the base context, which is the user's, and a plan without a
// name may be made with the lock held.
func (p *Pool) labelled(task string) context.Context {
	if task == "" && p.submitted != nil {
		return p.submitted.Base
	}
	return labels.Context(p.shared.Base, p.shared.Name, task)
}

// label gives the calling goroutine the labels of the task.
func (pl *plan) label() {
	if pl.Name != "" {
		pprof.SetGoroutineLabels(pl.Base)
	}
}

// unlabel gives the calling goroutine the labels of an idle worker.
func (p *Pool) unlabel() {
	base := p.submitted.Base
	if base == nil {
		base = context.Background()
	}
	pprof.SetGoroutineLabels(base)
}
