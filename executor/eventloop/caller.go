package eventloop

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/goid"
)

// InLoop reports whether ctx is the context of the task that the loop is running, or derives from
// it. It is false after the run, and for a nil ctx.
func (l *Loop) InLoop(ctx context.Context) bool { return l.runIn(ctx) != nil }

// runIn returns the run of this loop that ctx belongs to, or nil.
func (l *Loop) runIn(ctx context.Context) (run *cell.Cell) {
	if ctx == nil {
		return nil
	}
	cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil || c.Plan.Host != (*host)(l) {
			return false
		}
		run = c
		return true
	})
	return run
}

// current returns the task that this loop runs on the calling goroutine, or nil.
func (w *worker) current() *cell.Cell {
	if w.goroutine.Load() != goid.Current() {
		return nil
	}
	// The lock is not needed: the calling goroutine is the only one that writes the field.
	return w.exec.Task
}
