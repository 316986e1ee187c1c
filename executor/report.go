package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// Pending is a task that waits, or one that a pool has handed back because it was shut down before
// the task, or its next run, began. The future of a task that is handed back is settled at once, or
// at the end of the run for a series that is in one.
//
// Pending describes a task; [future.Pending] is the state of a future whose task waits.
//
// In JSON and in a structured log, Task and all zero fields are left out.
type Pending struct {
	Name string `json:"name,omitempty"`

	// Scheduled is when the task would have run or, for a task of Submit, when it was submitted; it
	// is zero if that is not known. For a series that is handed back during a run it is the time of
	// the next run. With a fixed delay that depends on the end of the run, so Scheduled is zero.
	Scheduled time.Time `json:"scheduled,omitzero"`

	Periodic bool   `json:"periodic,omitempty"`
	Runs     uint64 `json:"runs,omitempty"` // begun so far, for a periodic task
	Task     Task   `json:"-"`              // its decorated body, if it is handed back; else nil
}

// Running describes a task that was running when a report was made. In JSON it is its Run with an
// additional "for", written as [time.ParseDuration] reads it: "1.5s". [future.Running] is the state
// of such a task's future.
type Running struct {
	Run
	For time.Duration // since it started

	// Waits tells that it waits for another task of its pool, which runs in its place meanwhile;
	// WaitsFor is the name of that task, and may be empty.
	Waits    bool
	WaitsFor string
}

// Report is the result of [Pool.CloseContext]. A series that is in a run may be in both lists.
type Report struct {
	// Dropped are the tasks that never started, or will not start again, in the order of their
	// times. Series without a time come last.
	Dropped []Pending `json:"dropped,omitempty"`
	// Running are the tasks that were still running, longest first.
	Running []Running `json:"running,omitempty"`
}

// pendingOfLocked describes a task that is handed back. Once that has left the pool and is settled,
// and the lock has been free since, nobody writes to it any more, and the lock is not needed.
func (p *Pool) pendingOfLocked(c *cell.Cell) Pending {
	pending := p.pending(seen(c))
	pending.Task = c.Body
	return pending
}

// pending describes a task that the pool is to run.
func (p *Pool) pending(w runqueue.Waiting) Pending {
	pl := w.Plan.Detail.(*plan)
	pending := Pending{Name: pl.Name, Periodic: pl.Periodic(), Runs: w.Runs}
	switch {
	case w.When == unread || w.Timeless:
	case !w.OnWall.IsZero():
		pending.Scheduled = w.OnWall
	default:
		pending.Scheduled = p.clock.Time(w.When)
	}
	return pending
}

// askedFor is how long the pool records when bare tasks start after somebody has asked for that.
const askedFor = 10 * time.Second

// askLocked describes the run of c that is in progress, for a question from outside. Somebody who
// has asked once may ask again, so for a while the pool records when all runs start. That has a
// price: Execute then costs about twice as much.
func (p *Pool) askLocked(c *cell.Cell) Run {
	unknown := c.Started == unread
	r := Run(p.runs.DescribeLocked(c, &planOf(c).Plan))
	p.asked = max(p.asked, c.Started)
	if unknown && !p.watched.Load() {
		p.watched.Store(true)
		time.AfterFunc(askedFor, p.unask)
	}
	return r
}

// unask ends what askLocked has begun if nobody has asked lately.
func (p *Pool) unask() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if left := time.Duration(p.asked-p.clock.Now()) + askedFor; left > 0 && p.stage < terminated {
		time.AfterFunc(left, p.unask)
		return
	}
	p.watched.Store(false)
}

// guard calls a hook, and reports it if it panics or calls Goexit.
func (p *Pool) guard(name string, r Run, hook func()) {
	p.runs.Guard(name, run.Info(r), hook)
}
