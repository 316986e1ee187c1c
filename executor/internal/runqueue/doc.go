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
// A waiting task has one of six homes. Each stays for what it saves, measured without it beside with
// it, by turns in one run on two processors (BenchmarkExecute and the workloads execute and due-1M of
// the comparison in module bench):
//
//	heap         the order of times itself
//	Inbox        Execute at 121 ns instead of 470, and no allocation instead of one
//	Batch        a tiny task at 105 ns instead of 148, with one worker 66 instead of 113
//	ripe tasks   a million due at one instant at 293 ns each instead of 614
//	serial line  a task behind others of its serial executor: it would block a worker elsewhere
//	blocked      a submitter who waits for room, with the task: it is not accepted yet
//
// Tasks for now have no time while nothing in a scheduled pool has one, so that Batches serve there,
// too: Execute at 105 ns instead of 167.
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
