package engine

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Drain drops everything that waits, and returns it in the order of its times.
func (p *Pool) Drain() []Pending {
	drained := p.takeWaiting()
	// Without the lock: settling calls those who wait.
	return p.dropAll(drained, func(c *cell.Cell) (run.Dropped, bool) {
		err := p.runs.Refusal(nameOf(c), "task was drained", ErrDrained)
		return p.runs.Discard(c, &planOf(c).Plan, future.CancelledError(err))
	})
}

// takeWaiting removes all tasks from the queue and from behind others, and lets those in who wait
// for the room. The caller must settle the tasks, which the pool does not end before.
func (p *Pool) takeWaiting() []*cell.Cell {
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	waiting := p.waiting.emptyLocked()
	p.vacateLocked(waiting)
	p.runs.SettlesLocked()
	if !p.plain && p.crew.surplusLocked() {
		p.crew.lot.CallLeader() // above the core size, it may wait for what will not come
	}
	p.crew.notifyLocked(unread)
	return waiting
}
