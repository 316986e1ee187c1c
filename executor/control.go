package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Handle returns the handle of the task.
func (f *ScheduledFuture[V]) Handle() Handle { return Handle{f.cell(), f.host()} }

// Pause is [Handle.Pause].
func (f *ScheduledFuture[V]) Pause() bool { return f.Handle().Pause() }

// Resume is [Handle.Resume].
func (f *ScheduledFuture[V]) Resume() bool { return f.Handle().Resume() }

// Paused is [Handle.Paused].
func (f *ScheduledFuture[V]) Paused() bool { return f.Handle().Paused() }

// Trigger is [Handle.Trigger].
func (f *ScheduledFuture[V]) Trigger() bool { return f.Handle().Trigger() }

// Reset is [Handle.Reset].
func (f *ScheduledFuture[V]) Reset(delay time.Duration) bool { return f.Handle().Reset(delay) }

// SetPeriod is [Handle.SetPeriod].
func (f *ScheduledFuture[V]) SetPeriod(d time.Duration) error { return f.Handle().SetPeriod(d) }

// Last is [Handle.Last].
func (f *ScheduledFuture[V]) Last() (LastRun, bool) { return f.Handle().Last() }

// NextIn is for the body of a periodic task: the next run comes d after the end of this one, this
// once. At a fixed rate the grid stays: the run after that is the next on the grid. Zero or less
// means at once. Of several calls the last counts. ctx is the context of the run, or derives from
// it; with any other, and after the run, NextIn does nothing and returns false.
func NextIn(ctx context.Context, d time.Duration) bool {
	if ctx == nil {
		return false
	}
	return cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false
		}
		h, ok := c.Plan.Host.(timetable)
		if !ok {
			return false
		}
		o, pl := h.Plan(c)
		return o.NextIn(c, pl, d)
	})
}
