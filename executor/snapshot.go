package executor

import (
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// see takes a snapshot of what waits. The memory for it is made before, so that nobody has to wait
// for that.
func (p *Pool) see() runqueue.Snapshot {
	p.mu.Lock()
	line, timed := p.queue.Extent()
	heldBack := p.heldBack
	p.mu.Unlock()
	s := runqueue.NewSnapshot(line, timed, heldBack, seen)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.recallLocked()
	p.queue.Look(&s)
	for _, c := range p.allHeldBackLocked() {
		s.AddHeldBack(c)
	}
	return s
}

// seen is what a snapshot keeps of a task.
func seen(c *cell.Cell) runqueue.Waiting {
	w := runqueue.Waiting{When: c.When, Order: c.Order, Plan: c.Plan}
	if pl := planOf(c); pl.Periodic() {
		w.Runs = pl.Runs
	}
	return w
}
