package executor

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// plan is what a pool knows of a task besides its cell. Tasks without options share one plan, so that
// they cost nothing here.
type plan struct {
	run.Plan

	strand *strand // of a task of a serial executor
}

func planOf(c *cell.Cell) *plan { return c.Plan.Detail.(*plan) }

func (p *Pool) newPlan(o series.Options) *plan {
	pl := new(plan)
	p.runs.Init(&pl.Plan, o, pl)
	return pl
}
