package executor

import (
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// plan is what a pool knows of a task besides its cell: its options and, if it is periodic, where
// the series stands. Tasks without options share one plan, so that they cost nothing here.
//
// The pool's lock guards the fields of the series.
type plan struct {
	cell.Plan
	series.Series

	strand *strand // of a task of a serial executor

	reports  bool // a failure has no future of its own and goes to the error handler
	returned bool // handed back in a run: how that ends does not count; the pool's lock guards it
}

func planOf(c *cell.Cell) *plan { return c.Plan.Detail.(*plan) }
