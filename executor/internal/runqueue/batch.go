package runqueue

import "sync/atomic"

// Batch is a row of bare tasks that have left the inbox together. Workers claim them one by one
// without the pool's lock, because for tiny tasks the lock is most of the cost. A batch is shared:
// whoever is free claims the next task, so no task waits behind a long one while a worker is idle.
//
//	waiting -> dealt     Fill: the head of the inbox is a row of bare tasks
//	dealt   -> claimed   Claim: by a worker, which runs it
//	dealt   -> waiting   Recall: the caller is to see, or to change, what waits; or a task is late
//
// The tasks of a batch come before all others. A pool has at most one batch with tasks in it, and
// while it has one, nobody takes from the queue. What comes to the queue then is for later, as all
// of the batch has been due for a while; but for a task that is late, such as the next run of a
// burst. Before such a task is queued, the batch is recalled.
type Batch struct {
	next atomic.Int64 // index of the next task to claim; at or above size there is none

	_ [64]byte // all workers write next; they only read what follows

	tasks  [BatchSize]Body  // a task belongs to its claimer, who clears it; before that nobody writes
	stamps [BatchSize]Stamp // theirs, if they have any
	size   int64
	last   int64 // time of the last stamp

	// The pool's lock guards these.
	users int    // workers that may still claim: each runs a task, or comes from its last
	over  uint64 // tasks recalled, and tasks ended that the pool has counted since
}

// BatchSize is the most tasks a batch takes: enough for the lock not to matter, and few enough for
// a worker to come by the lock often.
const BatchSize = 64

// Fill takes the first n tasks of the inbox; see [Inbox.Row] and [Delayed.Row]. The batch must be
// empty and unused. The pool's lock is held.
func (b *Batch) Fill(from *Inbox, n int) {
	from.out.popRow(b.tasks[:n], b.stamps[:n])
	b.size, b.over, b.last = int64(n), 0, b.stamps[n-1].When
	b.next.Store(0)
}

// Follows reports whether a task that comes to the queue now, for the given time, runs before some
// of the batch. Of equal times it is the last. The pool's lock is held.
func (b *Batch) Follows(when int64) bool { return when < b.last }

// Claim takes the next task, and when it came if that is known, or returns nil if there is none
// left. It needs no lock.
func (b *Batch) Claim() (task Body, when int64) {
	// One addition is cheaper than a loop of exchanges. It may move next beyond size, by one for
	// each worker that finds nothing; all others who read next allow for that.
	i := b.next.Add(1) - 1
	if i >= b.size {
		return nil, Unread
	}
	task = b.tasks[i]
	b.tasks[i] = nil // a batch is kept for later, and must not keep the task in memory
	return task, b.stamps[i].When
}

// Left returns how many tasks have not been claimed. A nil batch has none.
func (b *Batch) Left() int {
	if b == nil {
		return 0
	}
	return int(max(b.size-b.next.Load(), 0))
}

// Progress returns how many tasks are left, and how many have ended that the pool has not counted
// yet. It reads next once, so the two are consistent. The pool's lock is held.
func (b *Batch) Progress() (left int, ended uint64) {
	claimed := min(b.next.Load(), b.size)
	return int(b.size - claimed), uint64(claimed) - b.over - uint64(b.users)
}

// Recall puts the tasks that are left back into the inbox. The pool's lock is held.
func (b *Batch) Recall(to *Inbox) {
	if b.Left() == 0 {
		return
	}
	// The exchange ends the claims: whoever comes later finds nothing, and these tasks are ours.
	if next := b.next.Swap(b.size); next < b.size {
		to.out.unpop(b.tasks[next:b.size], b.stamps[next:b.size])
		b.over += uint64(b.size - next)
		clear(b.tasks[next:b.size])
	}
}

// Join adds a worker that will claim tasks. The pool's lock is held.
func (b *Batch) Join() { b.users++ }

// Leave removes a worker that has joined. Ended is how many of its tasks have ended; the pool
// counts them from now on. Leave reports whether nobody uses the batch any more. The pool's lock is
// held.
func (b *Batch) Leave(ended uint64) (unused bool) {
	b.over += ended
	b.users--
	return b.users == 0
}

// Used reports whether a worker may still claim from the batch. The pool's lock is held.
func (b *Batch) Used() bool { return b.users > 0 }
