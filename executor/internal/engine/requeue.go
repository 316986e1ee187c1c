package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// requeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task has left the queue. While the pool drops what is not yet due, nothing
// may be put off.
func (p *Pool) requeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	pl := planOf(c)
	if p.stage == draining && !pl.Periodic() && when > now && !p.executeDelayed.Load() {
		return false, nil
	}
	if !p.takeLocked(c) {
		return false, nil
	}
	c.When = when
	p.queueLocked(c)
	if when <= now {
		p.urgent = max(p.urgent, when)
	}
	if when <= now || c.Place <= 1 {
		p.notifyLocked(now)
	}
	p.loans.helpAnewLocked(c)
	return true, nil
}

// takeLocked takes c out of the queue, or out of the deferred tasks, and reports whether it was
// there. What waits for its turn in a lane is not.
func (p *Pool) takeLocked(c *cell.Cell) bool {
	return p.waitsInQueue(c) && p.queue.Remove(c) || p.endDeferLocked(c)
}

// queueAgainLocked queues c for its next run or attempt. An attempt counts for the time of its run.
func (p *Pool) queueAgainLocked(c *cell.Cell, when int64) {
	pl := planOf(c)
	if !pl.Retrying() {
		c.When = when
	}
	p.queueLocked(c)
	if !pl.Periodic() {
		p.loans.helpAnewLocked(c)
	}
}

// queueLocked queues c for when it may begin.
func (p *Pool) queueLocked(c *cell.Cell) {
	at := p.readyAt(c)
	if p.plain && at > p.clock.Now() {
		p.deferLocked(c, at)
		return
	}
	p.placeLocked(c, at)
}

// helpAnewLocked looks again at the waits for c, which is queued for another time than before, and
// for those behind it in its lane.
func (ls *loans) helpAnewLocked(c *cell.Cell) {
	if s := planOf(c).strand; s != nil {
		s.helpLocked(ls.pool)
		return
	}
	if ls.waits.blocked == 0 {
		return
	}
	for x := range ls.pool.executionsLocked() {
		if a := x.waits; a != nil && slices.Contains(a.cells, c) {
			ls.helpLocked(a)
		}
	}
}

// deferred are the tasks of a plain pool that may not begin yet, each with its timer: its queue
// knows no times. They count as queued, but take no room.
//
//	queued   -> deferred  deferLocked: it is reset to a later time, or put off by its lane
//	running  -> deferred  deferLocked: it is to be tried again
//	deferred -> queued    the time has come
//	deferred -> ended     it is cancelled, or the pool is shut down
type deferred map[*cell.Cell]*time.Timer // nil for a time that never comes

// deferLocked queues c once it may begin.
func (p *Pool) deferLocked(c *cell.Cell, at int64) {
	if p.deferred == nil {
		p.deferred = deferred{}
	}
	p.deferred[c] = nil
	if at == clock.Never {
		return
	}
	p.deferred[c] = time.AfterFunc(time.Duration(at-p.clock.Now()), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		// A timer that comes too late must not end another wait.
		if p.readyAt(c) <= p.clock.Now() && p.endDeferLocked(c) {
			p.placeLocked(c, at)
			p.notifyLocked(unread)
		}
	})
}

// endDeferLocked takes c out of the deferred tasks, and reports whether it was among them.
func (p *Pool) endDeferLocked(c *cell.Cell) bool {
	timer, found := p.deferred[c]
	if timer != nil {
		timer.Stop()
	}
	delete(p.deferred, c)
	return found
}

// takeDeferredLocked takes out the deferred tasks that keep does not accept, and returns them in
// the order of their times.
func (p *Pool) takeDeferredLocked(keep func(c *cell.Cell) bool) (cells []*cell.Cell) {
	for c := range p.deferred {
		if !keep(c) {
			cells = append(cells, c)
		}
	}
	for _, c := range cells {
		p.endDeferLocked(c)
	}
	slices.SortFunc(cells, compareDue)
	return cells
}

// compareDue orders tasks by when they are due, and then by when they came to the queue.
func compareDue(a, b *cell.Cell) int {
	return cmp.Or(cmp.Compare(planOf(a).DueAt(a), planOf(b).DueAt(b)), cmp.Compare(a.Order, b.Order))
}
