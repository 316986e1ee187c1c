package engine

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Drain drops everything that waits, and returns it in the order of its times.
func (lf *Life) Drain() []Pending {
	drained := lf.takeWaiting()
	// Without the lock: settling calls those who wait.
	return lf.dropAll(drained, func(c *cell.Cell) (run.Dropped, bool) {
		err := lf.pool.runs.Refusal(nameOf(c), "task was drained", ErrDrained)
		return lf.pool.runs.Discard(c, &planOf(c).Plan, future.CancelledError(err))
	})
}

// takeWaiting removes all tasks from the queue and from behind others, and lets those in who wait
// for the room. The caller must settle the tasks, which the pool does not end before.
func (lf *Life) takeWaiting() []*cell.Cell {
	p := lf.pool
	p.mu.Lock()
	defer p.mu.Unlock() // even if a user's WorkQueue panics
	waiting := p.waiting.emptyLocked()
	lf.vacateLocked(waiting)
	p.runs.SettlesLocked()
	if !p.plain && p.Crew.surplusLocked() {
		p.Crew.lot.CallLeader() // above the core size, it may wait for what will not come
	}
	p.Crew.notifyLocked(unread)
	return waiting
}
