package engine

import (
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
		ws.beginTimesLocked()
	}
	if ws.batch != nil && ws.batch.Follows(readyAt) {
		ws.recallLocked()
	}
	c.Order = ws.sequence.Next()
	ws.queue.Push(c, readyAt)
}

// beginTimesLocked makes all tasks come with a time from here on.
func (ws *waiting) beginTimesLocked() {
	ws.pool.Door.timed.Store(true)
	if ws.shards != nil && ws.pool.Life.stage == running {
		ws.shards.Open()
	}
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
	return ws.hasPlaceLocked(c) || ws.custom != nil && ws.custom.Holds(c)
}

// hasPlaceLocked is waitsInQueue but for a queue of the user's own.
func (ws *waiting) hasPlaceLocked(c *cell.Cell) bool {
	if ws.delayed != nil {
		return ws.delayed.Holds(c)
	}
	return c.Place != 0
}

// setTimeLocked gives c, which has been taken out, another time.
func (ws *waiting) setTimeLocked(c *cell.Cell, when int64) {
	if ws.delayed != nil {
		ws.delayed.SetTime(c, when)
		return
	}
	c.When = when
}

// tally is what the pool has counted of its tasks at one moment, without those in a batch.
type tally struct {
	accepted, rejected, cancelled uint64
	queued                        int
}

// tallyLocked returns one consistent tally. It calls also at the same moment, with submissions
// locked out.
func (ws *waiting) tallyLocked(also func()) (t tally) {
	counts := &ws.pool.counts
	t = tally{counts.accepted, counts.rejected, counts.cancelled, ws.heldBack}
	if ws.inbox == nil {
		also()
		t.queued += ws.queue.Len()
		return t
	}
	var beside int
	var posted, withdrawn uint64
	accepted, rejected, queued := ws.inbox.Tally(t.accepted, t.rejected, func() {
		also()
		if ws.delayed != nil {
			beside, posted, withdrawn = ws.delayed.Tally()
		}
	})
	return tally{accepted + posted, rejected, t.cancelled + withdrawn, t.queued + queued + beside}
}

// newQueue returns the queue that the options ask for. It also sets the inbox and the shards
// through which submissions reach the queue without the pool's lock. There are none under a
// [PendingLimit], because they cannot see what waits elsewhere, nor for a plain pool whose queue is
// bounded or ordered.
func (ws *waiting) newQueue() runqueue.Queue {
	p := ws.pool
	open := p.PendingLimit == 0 && (!p.plain || p.Simple)
	ws.sequence = new(runqueue.Sequence) // counts, as all take the lock that need a number
	var numbers *runqueue.Sequence       // that the inbox has to know
	if !p.plain {
		if open {
			ws.sequence = runqueue.NewSequence(p.clock)
		}
		numbers = ws.sequence
	}
	front := runqueue.NewInbox(p.Door.executed.Cells(), numbers)
	if open {
		ws.inbox = front
	}
	if !p.plain {
		q := runqueue.NewDelayed(front)
		q.ReadyAt = ws.readyAt
		if ws.inbox != nil {
			ws.shards = runqueue.NewShards(p.clock, ws.sequence)
			q.Shards = ws.shards
		}
		ws.delayed = q
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
