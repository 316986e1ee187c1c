package executor

import (
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// ScheduledFuture is the future of a scheduled task, which also tells when the task runs: it is
// java.util.concurrent's ScheduledFuture. It is safe for concurrent use and must not be copied.
//
// It is the task itself, its future and its place in the queue in one allocation.
type ScheduledFuture[V any] struct {
	*future.Future[V] // &own
	own               future.Future[V]
}

func newScheduledFuture[V any](p *ScheduledPool) *ScheduledFuture[V] {
	f := new(ScheduledFuture[V])
	f.Future = &f.own
	f.cell().Plan = &p.submitted.Plan
	return f
}

func (f *ScheduledFuture[V]) cell() *cell.Cell { return future.CellOf(&f.own) }

func (f *ScheduledFuture[V]) pool() *Pool { return f.cell().Plan.Host.(*host).pool() }

// Delay returns the time until the next run; while a run is in progress and after the last, until
// the time that run was planned for, which then has gone by, unless the task was cancelled before.
// It goes on falling below zero.
func (f *ScheduledFuture[V]) Delay() time.Duration {
	p := f.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(f.cell().When - p.clock.Now())
}

// Next returns the time of the next run. It reports false if none is planned: the task has ended,
// or is running, when the time of the next run is not known yet.
func (f *ScheduledFuture[V]) Next() (time.Time, bool) {
	p, c := f.pool(), f.cell()
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.Place == 0 || c.Phase().Settled() {
		return time.Time{}, false
	}
	return p.clock.Time(c.When), true
}

// Periodic reports whether the task repeats.
func (f *ScheduledFuture[V]) Periodic() bool { return planOf(f.cell()).periodic() }

// Runs returns how many runs have begun.
func (f *ScheduledFuture[V]) Runs() uint64 {
	p, c := f.pool(), f.cell()
	p.mu.Lock()
	defer p.mu.Unlock()
	if pl := planOf(c); pl.periodic() {
		return pl.runs
	}
	if c.Started == 0 {
		return 0
	}
	return 1
}
