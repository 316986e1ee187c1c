package engine

import (
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/delay"
)

// Batches let workers run tiny tasks without taking the lock for each. What the pool knows of them
// lags behind: Stats looks at the batches as well, and whatever else wants to see or change what
// waits puts the rest of the batch back first.

// dealLocked fills a new batch if a row of bare tasks is at the head of the queue, which is due,
// and reports whether it has. Nothing is left of the batch before.
//
// There is none while starts are recorded or paced; nor while there are helpers, as whoever claims
// does not see that the pool is overdrawn.
func (ws *waiting) dealLocked() bool {
	p := ws.pool
	if ws.inbox == nil || p.watched.Load() || p.loans.waits.helping > 0 || p.Pace != nil {
		return false
	}
	row := ws.rowLocked()
	if row < 2 { // which is not worth it
		return false
	}
	switch {
	case ws.batch != nil && !ws.batch.Used(): // nobody claims from it any more: fill it again
	// A worker, perhaps at a long task, may still claim from the last batch; the one before it is
	// free.
	case ws.spare != nil:
		ws.batch, ws.spare = ws.spare, nil
	default:
		ws.batch = new(runqueue.Batch)
	}
	ws.batch.Fill(ws.inbox, row)
	return true
}

// rowLocked returns how many bare tasks are at the head of the queue.
func (ws *waiting) rowLocked() int {
	if ws.delayed != nil {
		return ws.delayed.Row()
	}
	return ws.inbox.Row()
}

// recallLocked puts back what is left of the batch, so that workers have to take the lock for it.
func (ws *waiting) recallLocked() {
	if ws.batch != nil {
		ws.batch.Recall(ws.inbox)
	}
}

// joinLocked makes the worker claim from b.
func (w *worker) joinLocked(b *runqueue.Batch) {
	w.batch = b
	b.Join()
}

// leaveLocked undoes joinLocked, and counts what the worker has run since. A batch that is used no
// more can be filled again.
func (w *worker) leaveLocked() {
	b, p := w.batch, w.pool
	if b.Leave(w.ran+1) && b != p.waiting.batch { // one more: accountLocked has counted the last
		p.waiting.spare = b
	}
	p.counts.Runs += w.ran
	p.counts.Completed += w.ran
	w.batch, w.ran = nil, 0
}

// claimNext claims the next task of the batch, without the lock, to run in the cell of the last. It
// reports whether there is one. Whatever is out of the ordinary it leaves to take, which has the
// lock.
func (w *worker) claimNext() bool {
	// Not after a failure, which is to be counted; nor after somebody has asked a context for a
	// signal, as the cell must not serve on; nor once starts are recorded, which needs the clock.
	if w.Failed || !w.own.Unseen() || w.pool.watched.Load() {
		return false
	}
	task, _ := w.batch.Claim()
	if task == nil {
		return false
	}
	delay.At(delay.TaskClaimed)
	w.ran++ // the last task, of which nothing else is to be recorded
	w.own.Body = task
	return true
}
