// Package delay lets tests hold a goroutine up between two steps whose order matters: after it has
// unlocked and before it waits, or after a task is settled and before those who wait are told. A
// stress test would hit such a window of a few nanoseconds once in millions of rounds; a hook makes
// it as wide as the test likes. The idea is that of FoundationDB's BUGGIFY, and of failpoints.
//
// Without a hook, a point costs one load and one branch, and only tests set hooks. At a point whose
// name ends in Locked a lock is held, at all others none. At a Locked point a hook may yield but
// must not sleep: in a testing/synctest bubble time stands still while anybody waits for a mutex.
package delay

import "sync/atomic"

// Point is a place where a hook may hold up whoever passes it.
type Point uint8

// Each point comes after what it is named for.
const (
	LeaderLeft       Point = iota // a leader has unlocked, and has not begun to wait
	LeaderWoken                   // a leader has waited, and has not locked again
	FollowerLeft                  // a follower has unlocked, and has not begun to wait
	FollowerWoken                 // a follower has waited, and has not locked again
	LeaderRecalled                // the context of a leader has ended, and nobody knows yet
	PieceDrained                  // a drain has unlocked, and locks again for its next piece
	WorkerStarted                 // a worker has its goroutine, and has not come for a task
	TaskPosted                    // a task is in the inbox, and the pool has not been told
	TaskClaimed                   // a worker has the next task of a batch, without the lock
	RunReturned                   // a body has returned, and its run has not been concluded
	RunConcluded                  // a future is settled, and the run has not been counted
	SeriesRefused                 // a series is not queued again, and has not been settled
	WorkerRetired                 // a worker is gone; if it was the last, that has not been told
	TasksSwept                    // a shutdown has taken tasks out, and has not settled them
	SubmitterGivesUp              // the context of a blocked submitter has ended; it is still there
	CancelledQueued               // a task is cancelled, and still in the queue
	ExtraRunLeaves                // an extra run has done its last task, and has not left
	Terminating                   // the last has left, and the pool has not said so
	CellBegun                     // a run has begun, and its context has not been set up
	RunEntered                    // the context of a run is set up, and nobody knows of the run yet
	CellSettled                   // a cell is settled, and those who wait have not been told
	CellCancelled                 // a cell is cancelled, and its body has not been interrupted
	ContextAsked                  // a signal is asked of a run's context, which has none yet
	WaitEnds                      // a wait for tasks has ended, and their pool does not know
	WaiterComes                   // a waiter is registered, and has not looked at the state
	TimerPushed                   // a timer is in the intake of a wheel that may be about to rest
	WheelRestsLocked              // a wheel has said when it will look, before it sees its intake
	TimerDue                      // a timer has left the wheel, and its function has not begun
	LoopSleepsLocked              // a loop has said when it will look, before it sees its intake
	LoopPushed                    // a task is on the intake of a loop, which may be about to sleep
	SeriesRan                     // a periodic timer function has returned; it is not armed again
	TimerTaken                    // the classic timer has taken a task, and has not begun it
	Points                        // the number of points
)

var hook atomic.Pointer[func(Point)]

// At holds up the caller if a test has set a hook.
func At(p Point) {
	if f := hook.Load(); f != nil {
		(*f)(p)
	}
}

// Set makes every goroutine that passes a point call f, until unset is called. It is for tests, one
// at a time, and panics if a hook is set already. A goroutine that has just passed a point does not
// wait.
func Set(f func(Point)) (unset func()) {
	own := &f
	if !hook.CompareAndSwap(nil, own) {
		panic("delay: a hook is already set")
	}
	return func() { hook.CompareAndSwap(own, nil) } // not the hook of somebody who came later
}

// Locked reports whether a lock is held at p.
func (p Point) Locked() bool { return p == WheelRestsLocked || p == LoopSleepsLocked }
