package engine

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
)

// takeLocked takes c out of the queue, or out of the deferred tasks, and reports whether it was
// there. What waits for its turn in a lane is not.
func (ws *waiting) takeLocked(c *cell.Cell) bool {
	return ws.waitsInQueue(c) && ws.queue.Remove(c) || ws.endDeferLocked(c)
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

// takeOutLocked takes c out of wherever it waits, and reports whether it did.
func (ws *waiting) takeOutLocked(c *cell.Cell) bool {
	return ws.takeLocked(c) || ws.removeHeldBackLocked(c)
}

// placeLocked queues c, whether new or to repeat, for the time from which on it may begin. Among
// tasks of equal time it is the last.
func (ws *waiting) placeLocked(c *cell.Cell, readyAt int64) {
	if !ws.pool.Door.timed.Load() {
		ws.pool.Door.timed.Store(true)
	}
	c.Order = ws.order.Add(1)
	ws.queue.Push(c, readyAt)
}

// waitingLocked returns how many tasks are in the queue or in the batch.
func (ws *waiting) waitingLocked() int { return ws.batch.Left() + ws.queue.Len() }

// waitsToBegin reports whether c waits in the queue, for its turn, or for a time.
func (ws *waiting) waitsToBegin(c *cell.Cell) bool {
	if ws.waitsInQueue(c) {
		return true
	}
	_, waits := ws.deferred[c]
	return waits
}

// waitsInQueue reports whether c has a place among those that wait.
func (ws *waiting) waitsInQueue(c *cell.Cell) bool {
	return c.Place != 0 || ws.custom != nil && ws.custom.Holds(c)
}

// tallyLocked returns one consistent snapshot of the tasks accepted, rejected and waiting, without
// those in a batch. It calls also inside that snapshot, with submissions locked out.
func (ws *waiting) tallyLocked(also func()) (accepted, rejected uint64, queued int) {
	accepted, rejected = ws.pool.counts.accepted, ws.pool.counts.rejected
	if ws.inbox == nil {
		also()
		return accepted, rejected, ws.queue.Len() + ws.heldBack
	}
	accepted, rejected, queued = ws.inbox.Tally(accepted, rejected, also)
	if q, ok := ws.queue.(*runqueue.Delayed); ok {
		queued += q.Beside()
	}
	return accepted, rejected, queued + ws.heldBack
}

// newQueue returns the queue that the options ask for. It also sets the inbox through which
// submissions reach the queue without the pool's lock. There is none under a [PendingLimit],
// because the inbox cannot see what waits elsewhere, nor for a plain pool whose queue is bounded or
// ordered.
func (ws *waiting) newQueue() runqueue.Queue {
	p := ws.pool
	var order *atomic.Uint64
	if !p.plain {
		order = &ws.order
	}
	front := runqueue.NewInbox(p.Door.executed.Cells(), order)
	if p.PendingLimit == 0 && (!p.plain || p.Simple) {
		ws.inbox = front
	}
	if !p.plain {
		q := runqueue.NewDelayed(front)
		q.ReadyAt = ws.readyAt
		return q
	}
	if ws.inbox != nil {
		return ws.inbox
	}
	q := p.MakeQueue()
	ws.custom, _ = q.(Custom)
	return q
}

// emptyLocked takes out everything that waits, and returns it in the order of its times. The batch
// comes first: its tasks have left the queue.
func (ws *waiting) emptyLocked() []*cell.Cell {
	ws.recallLocked()
	none := func(*cell.Cell) bool { return false }
	waiting := merge(ws.inOrderLocked(ws.queue.Filter(none)), ws.takeHeldBackLocked())
	return merge(waiting, ws.takeDeferredLocked(none))
}
