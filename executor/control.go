package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// NextIn is for the body of a periodic task: the next run comes d after the end of this one, this
// once. At a fixed rate the grid stays: the run after that is the next on the grid. Zero or less
// means at once. Of several calls the last counts. ctx is the context of the run, or derives from
// it; with any other, and after the run, NextIn does nothing and returns false.
func NextIn(ctx context.Context, d time.Duration) bool {
	h, ok := HandleFrom(ctx)
	if !ok {
		return false
	}
	o, pl, _ := h.commanded()
	return o.NextIn(h.cell(), pl, d)
}

// HandleFrom returns the handle of the task in whose run it is called, given the context of the run
// or one derived from it; so a body need not wait for the future that its submitter gets. It
// reports false for any other context, for nil, after the run, and in a task of Execute without
// options, which has none.
func HandleFrom(ctx context.Context) (h Handle, ok bool) {
	if ctx == nil {
		return Handle{}, false
	}
	ok = cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false
		}
		host, steered := c.Plan.Host.(timetable)
		if !steered || !host.HasHandle(c) {
			return false
		}
		h = Handle(cell.RefTo(c))
		return true
	})
	return h, ok
}
