package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ScheduledFuture is the future of a scheduled task, and the [Handle] that steers it, like
// java.util.concurrent's ScheduledFuture. It has all methods of both:
//
//   - of the future: Get, GetTimeout, Poll, Done, Cancel, Stop, Withdraw and the others;
//   - of the handle: [Handle.Next], [Handle.Runs], [Handle.Pause], [Handle.Resume],
//     [Handle.Trigger], [Handle.Reset], [Handle.SetPeriod], [Handle.Last], [Handle.Status] and the
//     others. f.Handle is the handle itself, to keep or to compare.
//
// It is safe for concurrent use and must not be copied.
//
// A ScheduledFuture can be made around any future, in a fake for example. It then knows no times:
// it is not periodic, has no runs, and none is planned.
type ScheduledFuture[V any] struct {
	*future.Future[V]
	steered
}

// steered has the handle one step further away than the future, whose Cancel, Stop, Stopped and
// State are the ones of a ScheduledFuture.
type steered struct{ Handle }

// timetable is an executor as the futures of its scheduled tasks see it.
type timetable interface {
	cell.Host
	// Describe returns which run of c is in progress.
	Describe(c *cell.Cell) run.Info
	// HasHandle reports whether c is a task by itself, not the cell of a worker that serves many.
	HasHandle(c *cell.Cell) bool
	// Plan returns what is known of c, and who runs it.
	Plan(c *cell.Cell) (*run.Owner, *run.Plan)
}

// scheduled is a task, its future and its place in the queue in one allocation.
type scheduled[V any] struct {
	future ScheduledFuture[V] // its Future is own
	own    future.Future[V]
}

func newScheduled[V any]() (*ScheduledFuture[V], *cell.Cell) {
	s := new(scheduled[V])
	ref := (*cell.Core[V])(&s.own).Ref()
	s.future.Future, s.future.Handle = &s.own, Handle(ref)
	return &s.future, ref.Cell()
}

// Delay returns the time until the next run. During a run, and once the task has ended, it refers
// to the last run: the time for which that was planned has passed, so Delay is negative and keeps
// falling. If the task was cancelled before that time, Delay stays positive until then.
func (f *ScheduledFuture[V]) Delay() time.Duration {
	o, pl, ok := f.commanded()
	if !ok {
		return 0
	}
	return o.Delay(f.Handle.cell(), pl)
}

// Periodic reports whether the task repeats.
func (f *ScheduledFuture[V]) Periodic() bool { return f.Kind() != Once }
