package eventloop

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
)

// A waiting task that is cancelled stays where it is, on the intake or the agenda, as a tombstone:
// its body is gone and its future is settled. Whoever cancels it leaves a notice, and the loop
// removes the tombstone from its heap the next time it passes by. Waking the loop for that would
// cost more than the tombstone does. But a loop that sleeps for a day, or runs one long body, does
// not pass by; so whoever leaves one notice too many processes them all. Even that wakes nobody.

// manyNotices is how many notices may pile up before a canceller processes them. So there are about
// as many tombstones at most; in the line of due tasks, up to half of its length if that is more.
const manyNotices = 1024

// notice says that a waiting task has been cancelled.
type notice struct {
	before *notice
	cell   *cell.Cell
}

// notices is a stack of them. Anybody pushes to it without a lock; it is taken as a whole under the
// loop's lock.
type notices struct {
	top  atomic.Pointer[notice]
	left atomic.Uint64 // pushed so far: tasks cancelled while they waited
	seen atomic.Uint64 // processed so far; written under the loop's lock
}

// leave pushes a notice, and reports whether there are too many now. It takes no lock.
func (ns *notices) leave(c *cell.Cell) (many bool) {
	n := &notice{cell: c}
	for {
		n.before = ns.top.Load()
		if ns.top.CompareAndSwap(n.before, n) {
			return ns.left.Add(1) >= ns.seen.Load()+manyNotices
		}
	}
}

// withdrawn is called when a waiting task has been cancelled. It never waits for the lock. If it
// does not get it, the holder is about to look at the notices, or the next canceller processes
// them.
func (l *Loop) withdrawn(c *cell.Cell) {
	if !l.notices.leave(c) || !l.mu.TryLock() {
		return
	}
	defer l.mu.Unlock()
	l.collectLocked()
}

// reclaimCancelledLocked removes cancelled tasks from the heap. One that stands in the line or on
// the intake is dropped when its turn comes.
func (l *Loop) reclaimCancelledLocked() {
	if l.notices.top.Load() == nil {
		return
	}
	seen := uint64(0)
	for n := l.notices.top.Swap(nil); n != nil; n = n.before {
		seen++
		if l.agenda.remove(n.cell) {
			l.counts.reclaimed++
		} else {
			l.agenda.line.tombstones++ // an upper bound: it may have left the line already
		}
	}
	l.notices.seen.Add(seen)
	l.counts.reclaimed += l.agenda.line.tidy()
}

// tombstonesLocked returns how many cancelled tasks have not been removed yet. It may be below 0
// for a moment: the loop may drop a cancelled task before its canceller has left the notice.
func (l *Loop) tombstonesLocked() int { return int(l.notices.left.Load() - l.counts.reclaimed) }
