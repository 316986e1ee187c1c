package executor

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// requeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task has left the queue. While the pool drops what is not yet due, nothing
// may be put off.
func (p *Pool) requeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	pl := planOf(c)
	if p.stage == draining && !pl.Periodic() && when > now && !p.executeDelayed.Load() {
		return false, nil
	}
	if !p.waitsInQueue(c) || !p.queue.Remove(c) {
		return false, nil
	}
	p.placeLocked(c, when)
	if when <= now {
		p.urgent = max(p.urgent, when)
	}
	if when <= now || c.Place <= 1 {
		p.notifyLocked(now)
	}
	p.helpAnewLocked(c)
	return true, nil
}

// queueAgainLocked queues c for its next run or attempt.
func (p *Pool) queueAgainLocked(c *cell.Cell, when int64) {
	if p.plain {
		if wait := when - p.clock.Now(); wait > 0 {
			p.deferLocked(c, time.Duration(wait))
			return
		}
	}
	p.placeLocked(c, when)
	if !planOf(c).Periodic() {
		p.helpAnewLocked(c)
	}
}

// helpAnewLocked looks again at the waits for c, which is queued for another time than before.
func (p *Pool) helpAnewLocked(c *cell.Cell) {
	if p.waits.blocked == 0 {
		return
	}
	for x := range p.executionsLocked() {
		if a := x.waits; a != nil && slices.Contains(a.cells, c) {
			p.helpLocked(a)
		}
	}
}

// deferred are the tasks of a plain pool that wait for their next attempt, each with its timer: its
// queue knows no times. They count as queued, but take no room.
//
//	running  -> deferred  deferLocked
//	deferred -> queued    the time has come
//	deferred -> ended     it is cancelled, or the pool is shut down
type deferred map[*cell.Cell]*time.Timer

// deferLocked queues c after some time.
func (p *Pool) deferLocked(c *cell.Cell, wait time.Duration) {
	if p.deferred == nil {
		p.deferred = deferred{}
	}
	p.deferred[c] = time.AfterFunc(wait, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.endDeferLocked(c) {
			p.placeLocked(c, p.clock.Now())
			p.helpAnewLocked(c)
			p.notifyLocked(unread)
		}
	})
}

// endDeferLocked takes c out of the deferred tasks, and reports whether it was among them.
func (p *Pool) endDeferLocked(c *cell.Cell) bool {
	timer, found := p.deferred[c]
	if found {
		timer.Stop()
		delete(p.deferred, c)
	}
	return found
}

// takeDeferredLocked takes out all deferred tasks, and returns them in the order of their times.
func (p *Pool) takeDeferredLocked() (cells []*cell.Cell) {
	for c := range p.deferred {
		cells = append(cells, c)
	}
	for _, c := range cells {
		p.endDeferLocked(c)
	}
	slices.SortFunc(cells, runqueue.Compare)
	return cells
}
