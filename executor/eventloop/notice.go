package eventloop

import (
	"sync/atomic"

	"github.com/punctual-go/punctual/internal/cell"
)

// A task that is cancelled while it waits is left where it is, on intake or agenda, as a tombstone: its body
// is gone, and its future is settled. Whoever cancels it leaves a notice, on which the loop takes the
// tombstone out of its heap when it comes by. To have it woken for that would cost more than the tombstone does;
// but a loop that sleeps for a day, or runs one long body, does not come by, so whoever leaves one notice
// too many sees to them all, and still wakes nobody.

// manyNotices is how many are seen to at once. So many tombstones there may be; and as many of tasks that are
// due, or as there are tasks that are.
const manyNotices = 1024

// notice says that a task has been cancelled.
type notice struct {
	before *notice
	cell   *cell.Cell
}

// notices is a stack of them, which anybody pushes to without a lock, and which is taken as a whole.
type notices struct {
	top  atomic.Pointer[notice]
	left atomic.Uint64 // so far; each is a task cancelled while it waited
	seen atomic.Uint64 // of these; written with the loop's lock held
}

// leave adds a notice, and reports whether there are too many now. It takes no lock.
func (ns *notices) leave(c *cell.Cell) (many bool) {
	n := &notice{cell: c}
	for {
		n.before = ns.top.Load()
		if ns.top.CompareAndSwap(n.before, n) {
			return ns.left.Add(1) >= ns.seen.Load()+manyNotices
		}
	}
}

// withdrawn is called when a task has been cancelled while it waited. It takes no lock but to see to many.
func (l *Loop) withdrawn(c *cell.Cell) {
	if !l.notices.leave(c) || !l.mu.TryLock() {
		return // or whoever holds the lock is about to look, or somebody else will see to it
	}
	defer l.mu.Unlock()
	l.collectLocked()
}

// reclaimCancelledLocked takes the cancelled tasks out of the heap. What stands in the line, or is still to come in,
// is dropped when it is its turn.
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
			l.agenda.line.tombstones++ // at most: it may have left already
		}
	}
	l.notices.seen.Add(seen)
	l.counts.reclaimed += l.agenda.line.tidy()
}

// tombstonesLocked returns how many cancelled tasks have not been taken out yet.
func (l *Loop) tombstonesLocked() int { return int(l.notices.left.Load() - l.counts.reclaimed) }
