package executor

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/goid"
)

// host is a Pool as its cells see it.
type host Pool

func (h *host) pool() *Pool { return (*Pool)(h) }

// Cancelled takes a task that a caller has cancelled out of the queue at once. If it is just
// between two runs, it is not in the queue and the worker that holds it finds it settled: both
// steps, "may it run again" and "queue it", are one under the lock. A cancelled task counts where it is
// taken out; if that is by whoever wants to start it, or hand it back, it counts there.
func (h *host) Cancelled(c *cell.Cell, running bool) {
	p := h.pool()
	delay.At(delay.CancelledQueued)
	p.mu.Lock()
	removed := true
	switch {
	case p.queue.Remove(c):
		p.vacated(c)
	case p.aside > 0 && p.removeAside(c):
		p.notify(unread)
	default:
		removed = false
	}
	if removed {
		c.Body = nil
	}
	if removed || running && !planOf(c).returned {
		p.counts.cancelled++
	}
	if !p.plain && p.surplus() && p.waiting() == 0 {
		p.lot.CallLeader() // it may go, now that nothing keeps it
	}
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// Expired tells of a run that has outlived its time-out, and ends the task, unless that is a series
// which goes on: then the next run waits for the body. The pool does not end before that is told.
func (h *host) Expired(c *cell.Cell) {
	p, pl := h.pool(), planOf(c)
	run, overdue := p.overdue(c)
	if !overdue {
		return
	}
	defer p.expired() // also when a handler ends the goroutine
	switch {
	case run.survived:
		defer p.tells()()
		p.runFailed(run.Run, pl.Late, run.streak, run.notable)
	case c.Fail(pl.Late):
		p.countLate(pl)
		if pl.Periodic() {
			defer p.tells()()
			p.seriesEnded(run.Run, pl.Late)
		}
	}
}

// overrun is a run that has outlived its time-out.
type overrun struct {
	Run
	survived bool   // by its series
	streak   uint64 // failures of that in a row
	notable  bool
}

// overdue reports, once, that the run of c in progress has outlived its time-out, and counts that
// if the series goes on. The pool does not end before the caller has called expired. If the
// time-out comes late, for a run whose body has returned, the runner tells of it.
func (p *Pool) overdue(c *cell.Cell) (o overrun, overdue bool) {
	pl := planOf(c)
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.Phase() != cell.Running || !pl.Expire(c.Started, p.clock.Now()) {
		return o, false
	}
	p.settling++
	o.Run = p.describe(c)
	if o.survived = pl.Survives(false); o.survived {
		p.counts.failures++
		o.notable = pl.Streak.Fail()
		o.streak = pl.Streak.Len()
	}
	return o, true
}

// countLate counts a task that has ended by its time-out.
func (p *Pool) countLate(pl *plan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !pl.returned {
		p.counts.completed++
	}
	p.counts.failures++
}

// expired ends what overdue has begun.
func (p *Pool) expired() {
	p.mu.Lock()
	p.settling--
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// tells has the calling goroutine known as one that the pool does not end before, until the function
// returned is called.
func (p *Pool) tells() (told func()) {
	id := goid.Current()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tellers = append(p.tellers, id)
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		i := slices.Index(p.tellers, id)
		p.tellers = slices.Delete(p.tellers, i, i+1)
	}
}

// Subject names the task and the pool.
func (h *host) Subject(c *cell.Cell) string { return h.pool().subject(planOf(c).Name).String() }

// Delay is that of the task's future.
func (h *host) Delay(c *cell.Cell) time.Duration {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Duration(c.When - p.clock.Now())
}

// Next is that of the task's future.
func (h *host) Next(c *cell.Cell) (time.Time, bool) {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	if c.Place == 0 || c.Phase().Settled() {
		return time.Time{}, false
	}
	return p.clock.Time(c.When), true
}

// Periodic is that of the task's future.
func (h *host) Periodic(c *cell.Cell) bool { return planOf(c).Periodic() }

// Runs is that of the task's future.
func (h *host) Runs(c *cell.Cell) uint64 {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	if pl := planOf(c); pl.Periodic() {
		return pl.Runs
	}
	if c.Started == 0 {
		return 0
	}
	return 1
}

// Describe returns which run of c is in progress.
func (h *host) Describe(c *cell.Cell) Run {
	p := h.pool()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.ask(c)
}

// vacated uses the room that c, cancelled, has left in the queue. The lock is held.
func (p *Pool) vacated(c *cell.Cell) {
	s := planOf(c).strand
	if s != nil {
		p.advance(s)
	}
	if s != nil || p.entrants.list.Len() > 0 {
		p.notify(unread)
	}
}
