// Package delay is where tests hold a goroutine up between two steps of which the order matters: after it
// has unlocked and before it waits, after a task has been settled and before those who wait are told.
// A window of a few nanoseconds, which a stress test would hit once in millions of rounds, becomes as wide as the
// test likes. It is the idea of FoundationDB's BUGGIFY and of failpoints.
//
// A point is one load and one branch while no hook is set, and there is none but in tests. No point lies where a
// lock is held, unless its name ends in Locked: there a hook may yield, but must not sleep, as in a bubble of
// testing/synctest nobody who waits for a mutex lets time go on.
package delay

import "sync/atomic"

// Point is a place where a hook may hold up whoever passes.
type Point uint8

// The points, each after what it is named for.
const (
	LeaderLeft       Point = iota // the leader has unlocked, and has not begun to wait
	LeaderWoken                   // the leader has waited, and not locked again
	FollowerLeft                  // a follower has unlocked, and has not begun to wait
	FollowerWoken                 // a follower has waited, and not locked again
	LeaderRecalled                // the context of the leader has ended, and nobody knows
	WorkerStarted                 // a worker has a goroutine, and has not come for a task
	TaskPosted                    // a task is in the inbox, and who is to be told has not been
	TaskClaimed                   // a worker has the next of a batch, without the lock
	RunReturned                   // a body has returned, and its run has not been concluded
	RunConcluded                  // the future is settled, and the run not accounted for
	SeriesRefused                 // a series is not queued again, and not settled
	WorkerRetired                 // a worker is no more, and the end it may have brought not told
	TasksSwept                    // a shutdown has taken tasks out, and not settled them
	SubmitterGivesUp              // the context of a submitter who waits has ended, and its place is still there
	CancelledQueued               // a task is cancelled, and still in the queue
	ExtraRunLeaves                // an extra run has done its last task, and not left
	Terminating                   // the last has left, and the pool has not said so
	CellBegun                     // a run has begun, and its context has not been set up
	CellSettled                   // a cell is settled, and those who wait have not been told
	CellCancelled                 // a cell is cancelled, and its body not interrupted
	ContextAsked                  // somebody wants a signal of the context of a run, which has none yet
	WaiterComes                   // who wants a signal has said so, and not looked whether it is over
	TimerPushed                   // a timer is in the intake of its wheel, which may be about to rest
	WheelRestsLocked              // a wheel has said when it will look, and not looked at its intake
	TimerDue                      // a timer has left the wheel, and its function has not begun
	LoopSleepsLocked              // an event loop has said when it will look, and not looked at its intake
	LoopPushed                    // a task is on the intake of a loop, which may be about to sleep
	SeriesRan                     // a timer's periodic function has returned, and is not armed again
	TimerTaken                    // the classic timer has taken a task, and not begun it
	Points                        // how many there are
)

var hook atomic.Pointer[func(Point)]

// At holds up the caller if a test says so.
func At(p Point) {
	if f := hook.Load(); f != nil {
		(*f)(p)
	}
}

// Set has every goroutine that passes a point call f, until the function returned is called. It is for tests, one
// at a time; a goroutine that has passed a point just before does not wait.
func Set(f func(Point)) (unset func()) {
	own := &f
	if !hook.CompareAndSwap(nil, own) {
		panic("delay: there is a hook")
	}
	return func() { hook.CompareAndSwap(own, nil) } // not that of another who has come after
}

// Locked reports whether a lock is held at p.
func (p Point) Locked() bool { return p == WheelRestsLocked || p == LoopSleepsLocked }
