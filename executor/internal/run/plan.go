package run

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Plan is what a pool or a loop knows of a task besides its cell: its options and, if it is periodic,
// where the series stands. Tasks without options share one plan, so that they cost nothing here.
//
// The owner's lock guards the fields of the series.
type Plan struct {
	cell.Plan
	series.Series

	Reports bool        // a failure has no future of its own and goes to the error handler
	counted atomic.Bool // the end of a series has been; see Ends
}

// Cells returns what the cells of the task have for a plan.
func (pl *Plan) Cells() *cell.Plan { return &pl.Plan }

// Ends reports whether the end of the task, which has come, is still to be counted. A series may end,
// or be cancelled, in the run during which it is handed back: it counts once. A task that is none ends
// once by itself, and may share its plan.
func (pl *Plan) Ends() bool { return !pl.Periodic() || pl.counted.CompareAndSwap(false, true) }

// Counted reports whether the end of a series has been counted, though a run may be in progress.
func (pl *Plan) Counted() bool { return pl.counted.Load() }

// HandBack hands c back if it is a series in a run which was not to be its last, and reports whether it
// was: that run goes on, and no other follows. It counts as returned from here on, however the run ends,
// which settles its future.
func (pl *Plan) HandBack(c *cell.Cell) bool {
	return pl.Periodic() && !pl.Last() && c.Phase() == cell.Running && pl.Ends()
}
