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
	case p.queue.remove(c):
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

// Expired ends the task whose run has outlived its time-out, but for a series that goes on after
// failures: there the run counts as failed when its body returns. The pool does not end before that
// is told.
func (h *host) Expired(c *cell.Cell) {
	p, pl := h.pool(), planOf(c)
	if pl.Tolerant() {
		return
	}
	p.mu.Lock()
	p.settling++
	p.mu.Unlock()
	failed := false
	defer func() { // also when a handler ends the goroutine
		p.mu.Lock()
		p.settling--
		if failed && !pl.returned {
			p.counts.completed++
		}
		ended := p.emptied()
		p.mu.Unlock()
		p.finish(ended)
	}()
	if failed = c.Fail(pl.Late); failed && pl.Periodic() {
		defer p.tells()()
		p.seriesEnded(p.runOf(c), pl.Late)
	}
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
