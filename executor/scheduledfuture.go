package executor

import (
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ScheduledFuture is the future of a scheduled task, which also tells when the task runs: it is
// java.util.concurrent's ScheduledFuture. It is safe for concurrent use and must not be copied.
//
// One that is made by hand, around the future of something else, for a fake say, knows of no times: it
// is not periodic, and neither has run nor will.
type ScheduledFuture[V any] struct {
	*future.Future[V]
}

// timetable is an executor, as the futures of its scheduled tasks see it.
type timetable interface {
	cell.Host
	// Delay returns the time until the next run of c, or since the time planned for the last.
	Delay(c *cell.Cell) time.Duration
	// Next returns the time of the next run of c, if one is planned.
	Next(c *cell.Cell) (time.Time, bool)
	// Runs returns how many runs of c have begun.
	Runs(c *cell.Cell) uint64
	// Periodic reports whether c repeats.
	Periodic(c *cell.Cell) bool
	// Describe returns which run of c is in progress.
	Describe(c *cell.Cell) Run
}

// scheduled is a task, its future and its place in the queue in one allocation.
type scheduled[V any] struct {
	future ScheduledFuture[V] // of own
	own    future.Future[V]
}

func newScheduled[V any](p *ScheduledPool) (*ScheduledFuture[V], *cell.Cell) {
	s := new(scheduled[V])
	s.future.Future = &s.own
	c := cellOf(&s.own)
	c.Plan = p.submitted.Cells()
	return &s.future, c
}

func (f *ScheduledFuture[V]) cell() *cell.Cell { return cellOf(f.Future) }

func (f *ScheduledFuture[V]) host() timetable {
	if p := f.cell().Plan; p != nil {
		if t, ok := p.Host.(timetable); ok {
			return t
		}
	}
	return timeless{}
}

// timeless is the timetable of what has none.
type timeless struct{ timetable }

func (timeless) Delay(*cell.Cell) time.Duration         { return 0 }
func (timeless) Next(*cell.Cell) (t time.Time, ok bool) { return t, false }
func (timeless) Runs(*cell.Cell) uint64                 { return 0 }
func (timeless) Periodic(*cell.Cell) bool               { return false }

// Delay returns the time until the next run; while a run is in progress and after the last, until
// the time that run was planned for, which then has gone by, unless the task was cancelled before.
// It goes on falling below zero.
func (f *ScheduledFuture[V]) Delay() time.Duration { return f.host().Delay(f.cell()) }

// Next returns the time of the next run. It reports false if none is planned: the task has ended,
// or is running, when the time of the next run is not known yet.
func (f *ScheduledFuture[V]) Next() (time.Time, bool) { return f.host().Next(f.cell()) }

// Periodic reports whether the task repeats.
func (f *ScheduledFuture[V]) Periodic() bool { return f.host().Periodic(f.cell()) }

// Runs returns how many runs have begun.
func (f *ScheduledFuture[V]) Runs() uint64 { return f.host().Runs(f.cell()) }
