// Package runqueue holds the queues in which the accepted tasks of a pool wait for a worker.
//
//	                 lock of submitters        lock of the pool
//	submission ────► Inbox, submitters' side ─► Inbox, takers' side ─┬─────────────► worker
//	schedule   ────────────────────────────────► heap ─► ripe tasks ─┘  (a Batch of small tasks)
//
//	[Inbox]    first in, first out; two sides with a lock each
//	[Delayed]  by trigger time: a heap, and an Inbox for what is to run at once
//	[FIFO]     a ring from which any task can be removed; what waits in a serial executor
//	[Batch]    small tasks that have left an Inbox together, claimed one by one without a lock
//	[Snapshot] what waits at one moment
//
// Each of them earns its place in a benchmark of the repository, by more than 15 %: without the
// Inbox Execute takes the lock of the pool and allocates; without the Batch a tiny task costs a
// fifth more; without the ripe tasks a burst of a million that is due at once takes half as long
// again.
package runqueue

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

// Body is the function of a task.
type Body = func(ctx context.Context) error

// Queue is where accepted tasks wait for a worker. The pool's lock is held in every call.
type Queue interface {
	Push(c *cell.Cell)
	// Head tells when the head may run, or parking.Nothing. Due means that it may run whatever the
	// time is.
	Head() (when int64, due bool)
	// Pop takes out the head, of which Head has just told. It is a task with a cell, or bare. The
	// time may be Unread.
	Pop(now int64) Entry
	Remove(c *cell.Cell) bool
	Len() int
	// Filter keeps the tasks that keep accepts and returns the others, in order.
	Filter(keep func(c *cell.Cell) bool) []*cell.Cell
	// Look adds all to a snapshot. Extent tells for how many there should be room in it.
	Look(s *Snapshot)
	Extent() (line, timed int)
}

// Unread stands for a time that nobody has read from the clock. No clock of a pool shows it.
const Unread int64 = 0

// Entry is a task with its stamp, if it has one.
type Entry struct {
	Slot
	Stamp
}

// Slot holds a task with a cell, or a bare one, which is just its body; or neither, where a task
// has been removed.
type Slot struct {
	Cell *cell.Cell
	Body Body
}

// Empty reports whether there is no task in it.
func (t Slot) Empty() bool { return t.Cell == nil && t.Body == nil }

// Stamp is when a task came to the inbox of a pool that knows times: the time, and the number of
// the last task that had come to the heap by then. Tasks of the heap that are due at the same time
// precede it up to that number.
type Stamp struct {
	When  int64
	After uint64
}

// precedes reports whether a task that came to the inbox at s is before one of the heap.
func (s Stamp) precedes(when int64, order uint64) bool {
	return s.When < when || s.When == when && s.After < order
}
