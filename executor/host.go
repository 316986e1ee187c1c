package executor

import "github.com/punctual-go/punctual/internal/cell"

// host is a Pool as its cells see it.
type host Pool

func (h *host) pool() *Pool { return (*Pool)(h) }

// Cancelled takes a task that a caller has cancelled out of the queue at once. If it is just
// between two runs, it is not in the queue and the worker that holds it finds it settled: both
// steps, "may it run again" and "queue it", are one under the lock.
func (h *host) Cancelled(c *cell.Cell) {
	p := h.pool()
	p.mu.Lock()
	p.counts.cancelled++
	if p.queue.remove(c) {
		c.Body = nil
	}
	ended := p.emptied()
	p.mu.Unlock()
	p.finish(ended)
}

// Expired ends the task whose run has outlived its time-out, but for a series that goes on after
// failures: there the run counts as failed when its body returns.
func (h *host) Expired(c *cell.Cell) {
	p, pl := h.pool(), planOf(c)
	if pl.tolerant() {
		return
	}
	if !c.Fail(pl.Late) {
		return
	}
	p.mu.Lock()
	p.counts.completed++
	run := p.describe(c)
	p.mu.Unlock()
	if pl.periodic() {
		p.seriesEnded(run, pl.Late)
	}
}
