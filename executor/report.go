package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Pending is a task that waits, or that a pool has handed back because it was shut down before the
// task, or its next run, began. The future of a task that is handed back is settled; that of a
// series which is in a run, when the run ends.
//
// It describes the task; that the task waits a future tells by its state, [future.Pending].
//
// In JSON and in a structured log, where Task is left out, so are fields that are zero.
type Pending struct {
	Name string `json:"name,omitempty"`

	// Scheduled is when it would have run: for a task of Submit, when it came; zero if that is not
	// known. For a series that is handed back in a run, it is the slot of the next; with a fixed
	// delay that depends on the end of the run, and Scheduled is zero.
	Scheduled time.Time `json:"scheduled,omitzero"`

	Periodic bool   `json:"periodic,omitempty"`
	Runs     uint64 `json:"runs,omitempty"` // begun so far, if it is periodic
	Task     Task   `json:"-"`              // its body, decorated, if it is handed back; else nil
}

// Running describes a task that runs at the time of a report; the future of one has the state
// [future.Running]. In JSON it is its run and "for", a text as
// [time.ParseDuration] reads it: "1.5s".
type Running struct {
	Run
	For time.Duration // since its start
}

// Report is what CloseContext has found. A series in a run may be in both lists.
type Report struct {
	// Dropped is what never started, or will not again, in the order of its times; series without
	// one come last.
	Dropped []Pending `json:"dropped,omitempty"`
	// Running is what was running still, longest first.
	Running []Running `json:"running,omitempty"`
}

// pendingOfLocked describes a task that is handed back. The lock is held, or the task has left the pool.
func (p *Pool) pendingOfLocked(c *cell.Cell) Pending {
	pending := p.pending(seen(c))
	pending.Task = c.Body
	return pending
}

// pending describes a task that is the pool's to run.
func (p *Pool) pending(w runqueue.Waiting) Pending {
	pl := w.Plan.Detail.(*plan)
	pending := Pending{Name: pl.Name, Periodic: pl.Periodic(), Runs: w.Runs}
	if w.When != unread {
		pending.Scheduled = p.clock.Time(w.When)
	}
	return pending
}

// runOf describes the run of c in progress.
func (p *Pool) runOf(c *cell.Cell) Run { return Run(p.runs.Describe(c, &planOf(c).Plan)) }

// askLocked describes the run of c for somebody who may want to know more often: from now on starts are
// kept.
func (p *Pool) askLocked(c *cell.Cell) Run {
	if c.Started == unread {
		p.watched.Store(true)
	}
	return Run(p.runs.DescribeLocked(c, &planOf(c).Plan))
}

// guard calls a hook. A panic in it harms nobody and is reported.
func (p *Pool) guard(ctx context.Context, name string, r Run, hook func()) {
	var err error
	future.Invoke(ctx, func(context.Context) error { hook(); return nil }, &err)
	if err != nil {
		p.report(r, &hookError{name, err})
	}
}

// report tells of a failure.
func (p *Pool) report(r Run, err error) { p.runs.Report(run.Info(r), err) }

// hookError is a failure of a hook. What that has panicked with is asked for its text only when somebody asks for it.
type hookError struct {
	hook string
	err  error
}

func (e *hookError) Error() string { return fmt.Sprintf("executor: %s hook: %v", e.hook, e.err) }
func (e *hookError) Unwrap() error { return e.err }
