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
	if p.Life.stage == draining && !pl.Periodic() && when > now && !p.executeDelayed.Load() {
		return false, nil
	}
	if !p.waiting.takeLocked(c) {
		return false, nil
	}
	c.When = when
	p.waiting.queueLocked(c)
	if when <= now {
		p.Crew.urgent = max(p.Crew.urgent, when)
	}
	if when <= now || c.Place <= 1 {
		p.Crew.notifyLocked(now)
	}
	p.loans.helpAnewLocked(c)
	return true, nil
}

// takeLocked takes c out of the queue, or out of the deferred tasks, and reports whether it was
// there. What waits for its turn in a lane is not.
func (ws *waiting) takeLocked(c *cell.Cell) bool {
	return ws.waitsInQueue(c) && ws.queue.Remove(c) || ws.endDeferLocked(c)
}

// queueAgainLocked queues c for its next run or attempt. An attempt counts for the time of its run.
func (p *Pool) queueAgainLocked(c *cell.Cell, when int64) {
	pl := planOf(c)
	if !pl.Retrying() {
		c.When = when
	}
	p.waiting.queueLocked(c)
	if !pl.Periodic() {
		p.loans.helpAnewLocked(c)
	}
}

// queueLocked queues c for when it may begin.
func (ws *waiting) queueLocked(c *cell.Cell) {
	at := ws.readyAt(c)
	if ws.pool.plain && at > ws.pool.clock.Now() {
		ws.deferLocked(c, at)
		return
	}
	ws.placeLocked(c, at)
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
	for x := range ls.pool.Crew.executionsLocked() {
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
func (ws *waiting) deferLocked(c *cell.Cell, at int64) {
	if ws.deferred == nil {
		ws.deferred = deferred{}
	}
	ws.deferred[c] = nil
	if at == clock.Never {
		return
	}
	ws.deferred[c] = time.AfterFunc(time.Duration(at-ws.pool.clock.Now()), func() {
		ws.pool.mu.Lock()
		defer ws.pool.mu.Unlock()
		// A timer that comes too late must not end another wait.
		if ws.readyAt(c) <= ws.pool.clock.Now() && ws.endDeferLocked(c) {
			ws.placeLocked(c, at)
			ws.pool.Crew.notifyLocked(unread)
		}
	})
}

// endDeferLocked takes c out of the deferred tasks, and reports whether it was among them.
func (ws *waiting) endDeferLocked(c *cell.Cell) bool {
	timer, found := ws.deferred[c]
	if timer != nil {
		timer.Stop()
	}
	delete(ws.deferred, c)
	return found
}

// takeDeferredLocked takes out the deferred tasks that keep does not accept, and returns them in
// the order of their times.
func (ws *waiting) takeDeferredLocked(keep func(c *cell.Cell) bool) (cells []*cell.Cell) {
	for c := range ws.deferred {
		if !keep(c) {
			cells = append(cells, c)
		}
	}
	for _, c := range cells {
		ws.endDeferLocked(c)
	}
	slices.SortFunc(cells, compareDue)
	return cells
}

// compareDue orders tasks by when they are due, and then by when they came to the queue.
func compareDue(a, b *cell.Cell) int {
	return cmp.Or(cmp.Compare(planOf(a).DueAt(a), planOf(b).DueAt(b)), cmp.Compare(a.Order, b.Order))
}
