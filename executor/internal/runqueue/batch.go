package runqueue

import "sync/atomic"

// Batch is a row of bare tasks that have left the inbox together, for workers to claim one by one
// without the pool's lock: for tiny tasks the lock is most of the cost. A batch is shared, so
// whoever is free claims the next, and none waits behind another that takes long.
//
//	waiting -> dealt     Fill: the head of the inbox is a row of bare tasks without times
//	dealt   -> claimed   Claim: by a worker, which runs it
//	dealt   -> waiting   Recall: somebody wants to see, or to change, what waits
//
// The tasks of a batch come before all others: a pool has one batch with anything in it at most,
// and while it has, nobody takes from the queue.
type Batch struct {
	next atomic.Int64 // index of the task to claim; there is none from size on

	_ [64]byte // next is written by all workers, the rest is read by them

	tasks [BatchSize]Body // a task is its claimer's, who takes it out; until then nobody writes
	size  int64

	// The pool's lock guards these.
	users int    // workers that may still claim; each is at a task, or on its way from its last
	over  uint64 // tasks recalled, and those that have ended with a worker that is no user any more
}

// BatchSize is how many tasks a batch takes at most: so many that the lock does not matter, and so
// few that a worker comes by the lock often.
const BatchSize = 64

// Fill takes the row at the head of the inbox; see [Inbox.IsRow]. Nothing may be left in the batch,
// and nobody may use it. The pool's lock is held.
func (b *Batch) Fill(from *Inbox) {
	b.size, b.over = int64(from.out.popRow(b.tasks[:])), 0
	b.next.Store(0)
}

// Claim takes the next task, or returns nil if there is none any more. It needs no lock.
func (b *Batch) Claim() Body {
	i := b.next.Add(1) - 1
	if i >= b.size {
		return nil
	}
	task := b.tasks[i]
	b.tasks[i] = nil
	return task
}

// Left returns how many tasks are not claimed. A nil batch has none.
func (b *Batch) Left() int {
	if b == nil {
		return 0
	}
	return int(max(b.size-b.next.Load(), 0))
}

// Progress returns how many tasks are left, and how many have ended of which the pool does not
// know: it looks once, so the two add up. The pool's lock is held.
func (b *Batch) Progress() (left int, ended uint64) {
	claimed := min(b.next.Load(), b.size)
	return int(b.size - claimed), uint64(claimed) - b.over - uint64(b.users)
}

// Recall puts back what is left of the batch. The pool's lock is held.
func (b *Batch) Recall(to *Inbox) {
	if b.Left() == 0 {
		return
	}
	if next := b.next.Swap(b.size); next < b.size {
		to.out.unpop(b.tasks[next:b.size])
		b.over += uint64(b.size - next)
		clear(b.tasks[next:b.size])
	}
}

// Join adds a worker that will claim. The pool's lock is held.
func (b *Batch) Join() { b.users++ }

// Leave takes a worker out that has joined, with the number of its tasks that have ended and that
// the pool counts from now on. It reports whether nobody uses the batch any more. The pool's lock
// is held.
func (b *Batch) Leave(ended uint64) (unused bool) {
	b.over += ended
	b.users--
	return b.users == 0
}

// Used reports whether a worker may still claim from the batch. The pool's lock is held.
func (b *Batch) Used() bool { return b.users > 0 }
