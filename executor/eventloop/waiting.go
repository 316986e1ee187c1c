package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// collectLocked moves what has arrived onto the agenda, and takes out what has been cancelled.
func (ws *waiting) collectLocked() {
	if !ws.intake.empty() {
		ws.admitLocked(ws.intake.take())
	}
	ws.reclaimCancelledLocked()
}

// admitLocked puts a chain of links on the agenda.
func (ws *waiting) admitLocked(n *link) {
	if n == nil {
		return
	}
	now := ws.loop.clock.Now()
	for n != nil {
		// The link goes into the line of the agenda, which uses after as well.
		next := n.after
		n.after = nil
		ws.enqueueLocked(n, now)
		n = next
	}
}

// enqueueLocked accepts one task. One that was cancelled on its way here counts as accepted, and
// never reaches the agenda.
func (ws *waiting) enqueueLocked(n *link, now int64) {
	l := ws.loop
	l.counts.accepted++
	if n.cell.Phase().Settled() {
		l.counts.reclaimed++
		return
	}
	ws.order++
	n.cell.Order = ws.order
	if l.life.stage == quieting && !l.life.wantedLocked(n.cell, now) {
		l.life.calm.unwanted = append(l.life.calm.unwanted, n.cell)
		return
	}
	ws.agenda.add(n, now)
}

// place puts a task on the agenda, behind all that have come before it. It reports false if the
// loop is shut down.
func (ws *waiting) place(n *link, now int64) bool {
	ws.loop.mu.Lock()
	defer ws.loop.mu.Unlock()
	if ws.loop.life.stage >= draining {
		return false
	}
	// What was pushed before comes first: the order of arrival decides between equal times.
	ws.collectLocked()
	ws.enqueueLocked(n, now)
	return true
}

// repeatLocked puts the next run of c on the agenda, behind all tasks of the same time. It goes to
// the heap: the line is for tasks that are due as they arrive.
func (ws *waiting) repeatLocked(c *cell.Cell, when int64) {
	ws.order++
	c.Order, c.When = ws.order, when
	ws.agenda.heap.Push(c.When, c)
}

// firstLocked returns the first task on the agenda that has not been cancelled, or nil if there is
// none. It drops those before.
func (ws *waiting) firstLocked() *cell.Cell {
	for {
		c := ws.agenda.head()
		if c == nil || !c.Phase().Settled() {
			return c
		}
		ws.agenda.pop()
		ws.loop.counts.reclaimed++
	}
}

// overdueLocked returns for how long the first task has been due; 0 if it is not.
func (ws *waiting) overdueLocked() time.Duration {
	ws.collectLocked()
	c := ws.firstLocked()
	if c == nil {
		return 0
	}
	return max(time.Duration(ws.loop.clock.Now()-c.When), 0)
}
