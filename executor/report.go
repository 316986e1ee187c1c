package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/failure"
)

// Pending is a task that waits, or that a pool has handed back because it was shut down before the
// task, or its next run, began. The future of a task that is handed back is settled; that of a
// series which is in a run, when the run ends.
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

// Running is a task that runs at the time of a report. In JSON it is its run and "for", a text as
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

// pendingOf describes a task that is handed back. The lock is held, or the task has left the pool.
func (p *Pool) pendingOf(c *cell.Cell) Pending {
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
func (p *Pool) runOf(c *cell.Cell) Run {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.describe(c)
}

// ask is describe for somebody who may want to know more often: from now on starts are kept. The lock is held.
func (p *Pool) ask(c *cell.Cell) Run {
	if c.Started == unread {
		p.watched.Store(true)
	}
	return p.describe(c)
}

// describe is runOf with the lock held.
func (p *Pool) describe(c *cell.Cell) Run {
	pl := planOf(c)
	if c.Started == unread { // nobody has kept it
		c.Started = p.clock.Now()
		if c.When == unread {
			c.When = c.Started
		}
	}
	r := Run{Name: pl.Name, Number: 1, Scheduled: p.clock.Time(c.When), Started: p.clock.Time(c.Started)}
	if pl.Periodic() {
		r.Number, r.Missed = pl.Runs, pl.Missed
	}
	return r
}

// guard calls a hook. A panic in it harms nobody and is reported.
func (p *Pool) guard(ctx context.Context, name string, run Run, hook func()) {
	var err error
	future.Invoke(ctx, func(context.Context) error { hook(); return nil }, &err)
	if err != nil {
		p.report(run, &hookError{name, err})
	}
}

// hookError is a failure of a hook. What that has panicked with is asked for its text only when somebody asks for it.
type hookError struct {
	hook string
	err  error
}

func (e *hookError) Error() string { return fmt.Sprintf("executor: %s hook: %v", e.hook, e.err) }
func (e *hookError) Unwrap() error { return e.err }

// report tells the error handlers of a failure, or the log if there are none.
func (p *Pool) report(r Run, err error) {
	if p.shared.OnError == nil {
		p.logFailure("task failed", r, err)
		return
	}
	p.shared.Tell(run.Info(r), err, func(inHandler error) {
		p.logFailure("error handler failed", r, inHandler)
	})
}

// runFailed tells the error handler of a failed run of a series that goes on, the last of so many
// in a row. If there is none, it tells the log of those that are notable.
func (p *Pool) runFailed(run Run, err error, streak uint64, notable bool) {
	switch {
	case p.shared.OnError != nil:
		p.report(run, err)
	case notable:
		p.log().WriteStreak(run.Name, run.Number, err, streak)
	}
}

// seriesRecovers ends a streak of failures, and tells the log if that has told of the failures.
func (p *Pool) seriesRecovers(pl *plan, run Run) {
	streak := pl.Streak.Len()
	pl.Streak.End()
	if p.shared.OnError == nil {
		p.log().WriteEnd(run.Name, run.Number, streak)
	}
}

// seriesEnded makes sure that a periodic task does not end by a failure in silence.
func (p *Pool) seriesEnded(run Run, err error) {
	if p.shared.OnError != nil {
		defer p.report(run, err) // also if the log ends the goroutine
	}
	p.logFailure("periodic task ended by a failure", run, err)
}

func (p *Pool) logFailure(text string, run Run, err error) {
	p.log().Write(text, run.Name, run.Number, err)
}

func (p *Pool) log() failure.Log {
	return failure.Log{Executor: p.shared.Name, Logger: p.shared.Logger}
}
