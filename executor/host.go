package executor

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
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
	if removed || running && planOf(c).Ends() {
		p.counts.cancelled++
	}
	if !p.plain && p.surplus() && p.waiting() == 0 {
		p.lot.CallLeader() // it may go, now that nothing keeps it
	}
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// Expired is that of the run.
func (h *host) Expired(c *cell.Cell) { h.pool().runs.Expired(c, &planOf(c).Plan) }

// Subject names the task and the pool.
func (h *host) Subject(c *cell.Cell) string { return h.pool().runs.Subject(planOf(c).Name).String() }

// Delay is that of the task's future.
func (h *host) Delay(c *cell.Cell) time.Duration { return h.pool().runs.Delay(c) }

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
func (h *host) Runs(c *cell.Cell) uint64 { return h.pool().runs.Runs(c, &planOf(c).Plan) }

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
