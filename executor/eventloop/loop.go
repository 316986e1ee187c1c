package eventloop

import (
	"sync"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
)

// Overview
//
// A task takes one road. enter pushes it onto the intake, collectLocked moves it to the agenda,
// take starts it when it is due, complete settles it after its last run, and accountLocked counts
// the run and puts the next one of a series on the agenda.
//
//	door ─► waiting ─► worker ─┬─► life: all end, or are dropped
//	           ▲               │
//	           └───────────────┘ the next run, the next attempt
//	           rest: the worker sleeps, until a task is due or has come
//
// These parts are in parts.go: their fields, and who may touch them. Submitters touch the intake and
// the atomic fields only. All else is guarded by mu. The loop holds mu on its way from one task to
// the next, and releases it to run a body, to settle futures, and to sleep; so a shutdown, Stats, or
// a [Turn] can get at what waits even while a body does not return. As nobody takes mu to submit
// from outside, or waits for it to cancel, the loop nearly always gets it without contention.
//
// Lock order: mu, then the lock of a cell's extension, which is a leaf.

// Loop runs tasks one at a time, each at its time. It is made by [New], is safe for concurrent use,
// and must not be copied.
//
// A loop promises:
//
//   - A task never runs early.
//   - Tasks run in order of time, and tasks of equal time in order of arrival. The time of a task
//     for now is that of its submission, so it neither overtakes overdue tasks, nor holds them up
//     by coming again and again.
//   - Every accepted task ends, and its future is settled.
//   - A failure affects one future only.
//
// An idle loop on Linux starts a task some tens of microseconds late.
//
// The goroutine of a loop starts with the first task, sleeps until the next one is due, and ends
// when nothing waits. A submission waits for no lock, takes constant time, and wakes the loop only
// if the task is due before every other. A cancellation takes amortized constant time, and wakes
// nobody unless the loop is shut down. If the task that a sleeping loop waits for is
// cancelled, the loop sleeps on until that task would have been due, something else wakes it, or it
// is shut down.
//
// Close a loop that is no longer needed: tasks that wait keep its goroutine. On Linux a loop that
// has slept once keeps one or two file descriptors until it ends.
type Loop struct {
	clock clock.Clock
	runs  run.Owner // the part it shares with a pool

	mu sync.Mutex // guards the counts, and of the parts what these say

	door    door
	waiting waiting
	worker  worker
	rest    rest
	life    life
	counts  counts
}

// host is a Loop as seen by its cells and by the futures of its tasks.
type host Loop

func (h *host) loop() *Loop { return (*Loop)(h) }
