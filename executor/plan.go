package executor

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// plan is what a pool knows of a task besides its cell. Tasks without options share one plan, and
// so do those of a plain [Pool.Define], so that they cost nothing here.
type plan struct {
	run.Plan

	strand *strand // of a task of a serial executor; else nil
	// expectedBy is the strand that the task was scheduled for, and joins once it is due: until
	// then it has no strand, and the pool's lock guards that.
	expectedBy *strand

	// twin is set for a plan that many tasks share: the plan of those of them without a future.
	// Such a plan has no state, and is not changed.
	twin *plan

	job      bool       // it was made by Apply
	expected bool       // it is still to join its strand; guarded by the pool's lock
	heir     *cell.Cell // has the name once this task has gone; guarded by the pool's lock
}

// planOf returns the plan of a task. Every cell in a pool has one.
func planOf(c *cell.Cell) *plan { return c.Plan.Detail.(*plan) }

// newPlan returns a plan for tasks with these options.
func (p *Pool) newPlan(o series.Options) *plan {
	pl := new(plan)
	p.runs.Init(&pl.Plan, o, pl)
	return pl
}
