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
	many atomic.Uint64 // of left, from when on whoever leaves one processes them

	// The loop's lock guards these.
	seen  uint64 // processed so far
	heeds bool   // each is to be processed at once
}

// leave pushes a notice, and reports whether there are too many now. It takes no lock.
func (ns *notices) leave(c *cell.Cell) (many bool) {
	n := &notice{cell: c}
	for {
		n.before = ns.top.Load()
		if ns.top.CompareAndSwap(n.before, n) {
			return ns.left.Add(1) >= ns.many.Load()
		}
	}
}

// heedLocked says whether each notice is to be processed at once.
func (ns *notices) heedLocked(heeds bool) {
	if ns.heeds = heeds; heeds {
		ns.many.Store(0)
		return
	}
	ns.many.Store(ns.seen + manyNotices)
}
