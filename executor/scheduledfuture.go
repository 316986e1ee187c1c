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
	// Delay returns the time until the next run of c, or since the time planned for the last.
	Delay(c *cell.Cell) time.Duration
	// Next returns the time of the next run of c, if one is planned.
	Next(c *cell.Cell) (time.Time, bool)
	// NextLocked is Next for a caller who holds the lock.
	NextLocked(c *cell.Cell) (time.Time, bool)
	// Runs returns how many runs of c have begun.
	Runs(c *cell.Cell) uint64
	// Periodic reports whether c repeats.
	Periodic(c *cell.Cell) bool
	// Describe returns which run of c is in progress.
	Describe(c *cell.Cell) run.Info
	// HasHandle reports whether c is a task by itself, not the cell of a worker that serves many.
	HasHandle(c *cell.Cell) bool
	// Plan returns what the commands of a series need.
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

// timeless is the timetable of a future without one.
type timeless struct{ timetable }

func (timeless) Delay(*cell.Cell) time.Duration         { return 0 }
func (timeless) Next(*cell.Cell) (t time.Time, ok bool) { return t, false }
func (timeless) Runs(*cell.Cell) uint64                 { return 0 }
func (timeless) Periodic(*cell.Cell) bool               { return false }

// Plan returns the plan of a task that runs once, and of which nothing can be asked.
func (timeless) Plan(*cell.Cell) (*run.Owner, *run.Plan) { return nil, nil }

// Delay returns the time until the next run. During a run, and once the task has ended, it refers
// to the last run: the time for which that was planned has passed, so Delay is negative and keeps
// falling. If the task was cancelled before that time, Delay stays positive until then.
func (f *ScheduledFuture[V]) Delay() time.Duration { return f.host().Delay(f.Handle.cell()) }

// Periodic reports whether the task repeats.
func (f *ScheduledFuture[V]) Periodic() bool { return f.host().Periodic(f.Handle.cell()) }
