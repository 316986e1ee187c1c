package executor

import (
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/delay"
)

// dealLocked makes a new batch if the head of the queue, which is due, begins a row of bare tasks, and
// reports whether it does. Nothing is left of the batch before.
func (p *Pool) dealLocked() bool {
	if p.inbox == nil || !p.plain && p.timed.Load() || p.watched.Load() || p.waits.helping > 0 {
		return false
	}
	if !p.inbox.IsRow() {
		return false
	}
	switch {
	case p.batch != nil && !p.batch.Used():
	case p.spare != nil:
		p.batch, p.spare = p.spare, nil
	default:
		p.batch = new(runqueue.Batch)
	}
	p.batch.Fill(p.inbox)
	return true
}

// recallLocked puts back what is left of the batch.
func (p *Pool) recallLocked() {
	if p.batch != nil {
		p.batch.Recall(p.inbox)
	}
}

// joinLocked has the worker claim from b.
func (w *worker) joinLocked(b *runqueue.Batch) {
	w.batch = b
	b.Join()
}

// leaveLocked ends what joinLocked has begun, and counts what the worker has run since. A batch that
// nobody uses can be filled again.
func (w *worker) leaveLocked() {
	b, p := w.batch, w.pool
	if b == nil {
		return
	}
	if b.Leave(w.ran+1) && b != p.batch { // the last has been counted by account
		p.spare = b
	}
	p.counts.Runs += w.ran
	p.counts.Completed += w.ran
	w.batch, w.ran = nil, 0
}

// claimNext claims the next task of the batch for the same cell, without the lock, and reports
// whether there is one. If anything is out of the ordinary, it leaves that to take.
func (w *worker) claimNext() bool {
	if w.batch == nil || w.Failed || !w.own.Unseen() || w.pool.watched.Load() {
		return false
	}
	task := w.batch.Claim()
	if task == nil {
		return false
	}
	delay.At(delay.TaskClaimed)
	w.ran++ // the last, of which nothing else is to be told
	w.own.Body = task
	return true
}
