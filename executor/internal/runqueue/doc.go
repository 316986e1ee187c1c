// Package runqueue holds the queues in which the accepted tasks of a pool wait for a worker.
//
//	                 lock of submitters        lock of the pool
//	submission ────► Inbox, submitters' side ─► Inbox, takers' side ─┬─────────────► worker
//	schedule   ────► a shard ──────────────────► heap ─► ripe tasks ─┘  (a Batch of small tasks)
//	series     ────────────────────────────────► heap
//
//	[Inbox]    first in, first out; two sides with a lock each
//	[Shards]   by trigger time: what waits for its time alone, in heaps with a lock each
//	[Delayed]  by trigger time: a heap, with Shards, and an Inbox for what is to run at once
//	[FIFO]     a ring from which any task can be removed; what waits in a serial executor
//	[Batch]    small tasks that have left an Inbox together, claimed one by one without a lock
//	[Snapshot] what waits at one moment
//
// A waiting task has one of seven homes. Each stays for what it saves. The figures compare the pool
// with and without it, measured in turns in one run on two processors (BenchmarkExecute, and the
// workloads execute, due-1M and timeouts-8 of the comparison in module bench):
//
//	heap         the order of times itself
//	shard        a timeout of a request, set and cancelled, at 152 ns instead of 407 (timeouts-8)
//	Inbox        Execute at 121 ns instead of 470, and no allocation instead of one
//	Batch        a tiny task at 105 ns instead of 148, with one worker 66 instead of 113
//	ripe tasks   a million due at one instant at 293 ns each instead of 614
//	serial line  a task behind others of its serial executor: elsewhere it would block a worker
//	blocked      a submitter who waits for room, with its task, which is not accepted yet
//
// While nothing in a scheduled pool has a time, bare tasks are given none either, which saves a
// reading of the clock: Execute at 105 ns instead of 135.
package runqueue

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

// Body is the function of a task.
type Body = func(ctx context.Context) error

// Queue is where accepted tasks wait for a worker. Every method is called with the pool's lock
// held.
type Queue interface {
	// Push adds c, which may run from the given time on. A queue that knows no times is given only
	// what may run now.
	Push(c *cell.Cell, readyAt int64)
	// Head returns when the head may run, or parking.Nothing if the queue is empty. Due means that
	// it may run whatever the time is: the caller need not read the clock.
	Head() (when int64, due bool)
	// Pop takes out the head, which Head has just returned: a task with a cell, or a bare one. The
	// time may be Unread.
	Pop(now int64) Entry
	Remove(c *cell.Cell) bool
	Len() int
	// Filter keeps the tasks that keep accepts, and returns the others in order.
	Filter(keep func(c *cell.Cell) bool) []*cell.Cell
	// Look adds all tasks to a snapshot. Extent returns how much room they need in it.
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

// Slot holds a task: one with a cell, or a bare one, which is only its body. It is empty where a
// task has been removed.
type Slot struct {
	Cell *cell.Cell
	Body Body
}

// Empty reports whether the slot holds no task.
func (t Slot) Empty() bool { return t.Cell == nil && t.Body == nil }

// Stamp says when a task came to the inbox of a pool that knows times: the time, and the number of
// the last task that had come to the heap by then. Tasks of the heap that are due at the same time
// and have a number up to that one precede it.
type Stamp struct {
	When  int64
	After uint64
}

// precedes reports whether a task that came to the inbox at s runs before the given one of the
// heap.
func (s Stamp) precedes(when int64, order uint64) bool {
	return s.When < when || s.When == when && s.After < order
}
