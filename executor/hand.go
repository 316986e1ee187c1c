package executor

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/delay"
)

// hand is a row of bare tasks that have left the inbox together, for workers to claim one by one without the
// pool's lock: for tiny tasks the lock is most of the cost. A hand is shared, so whoever is free takes the
// next, and none waits behind another that takes long.
//
//	waiting -> dealt     deal: the head of the inbox is a row of bare tasks without times
//	dealt   -> claimed   claim: by a worker, which runs it
//	dealt   -> waiting   recall: somebody wants to see, or to change, what waits
//
// Dealt tasks are those that come next: there is one hand with anything in it at most, and while there is,
// nobody takes from the queue.
type hand struct {
	next atomic.Int64 // index of the task to claim; there is none from size on

	_ apart

	tasks [handSize]Task // a task is its claimer's, who takes it out; until then nobody writes
	size  int64

	// The pool's lock guards these.
	users int    // workers that may still claim; each is at a task, or on its way from its last
	over  uint64 // tasks that have been recalled, or have ended with a worker that is no user any more
}

// handSize is large enough for the lock not to matter, and so small that a worker comes by the lock often.
const handSize = 64

// claim takes the next task, or returns nil if there is none any more. It needs no lock.
func (h *hand) claim() Task {
	i := h.next.Add(1) - 1
	if i >= h.size {
		return nil
	}
	task := h.tasks[i]
	h.tasks[i] = nil
	return task
}

// left returns how many tasks are not claimed.
func (h *hand) left() int {
	if h == nil {
		return 0
	}
	return int(max(h.size-h.next.Load(), 0))
}

// played returns how many tasks are left, and how many have ended of which the pool does not know: it looks
// once, so that what it tells adds up. The lock is held.
func (h *hand) played() (left int, ended uint64) {
	claimed := min(h.next.Load(), h.size)
	return int(h.size - claimed), uint64(claimed) - h.over - uint64(h.users)
}

// deal makes a new hand if the head of the queue, which is due, begins a row, and reports whether it does.
// Nothing is left of the hand before. The lock is held.
func (p *Pool) deal() bool {
	if p.inbox == nil || !p.plain && p.timed.Load() || p.watched.Load() || p.waits.helping > 0 {
		return false
	}
	if !p.inbox.out.isRow() {
		return false
	}
	if p.hand != nil && p.hand.users == 0 {
		p.spare = p.hand
	}
	h := p.spare
	if p.spare = nil; h == nil {
		h = new(hand)
	}
	h.size, h.over = int64(p.inbox.out.popBare(h.tasks[:])), 0
	h.next.Store(0)
	p.hand = h
	return true
}

// recall puts back what is left of the hand. The lock is held.
func (p *Pool) recall() {
	h := p.hand
	if h.left() == 0 {
		return
	}
	if next := h.next.Swap(h.size); next < h.size {
		p.inbox.putBack(h.tasks[next:h.size])
		h.over += uint64(h.size - next)
		clear(h.tasks[next:h.size])
	}
}

// takeUp has the worker claim from h. The lock is held.
func (w *worker) takeUp(h *hand) {
	w.hand = h
	h.users++
}

// letGo ends what takeUp has begun, and counts what the worker has run since. A hand that nobody holds can be
// dealt again. The lock is held.
func (w *worker) letGo() {
	h, p := w.hand, w.pool
	if h == nil {
		return
	}
	h.over += w.ran + 1 // the last has been counted by account
	if h.users--; h.users == 0 && h != p.hand {
		p.spare = h
	}
	p.counts.Runs += w.ran
	p.counts.Completed += w.ran
	w.hand, w.ran = nil, 0
}

// goOn claims the next task of the hand for the same cell, without the lock, and reports whether there is
// one. If anything is out of the ordinary, it leaves that to take.
func (w *worker) goOn() bool {
	if w.hand == nil || w.Failed || !w.own.Unseen() || w.pool.watched.Load() {
		return false
	}
	task := w.hand.claim()
	if task == nil {
		return false
	}
	delay.At(delay.TaskClaimed)
	w.ran++ // the last, of which nothing else is to be told
	w.own.Body = task
	return true
}
