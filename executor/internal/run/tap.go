package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// Tap is told of the life of each task of an owner. What watches tasks learns of them here and
// nowhere else, and the runs know nothing of what that is. [Owner.Open] says how much a tap is
// told: of runs alone, or of Admitted and Told as well.
//
//	new       -> admitted  Admitted: the submitter is about to offer the task
//	admitted  -> gone      Told: TaskRejected, the owner does not accept it
//	waiting   -> begun     BeginsLocked: the body is to be called; or the run has expired
//	begun     -> running   Began: hooks and body come next; not for a run that has expired
//	running   -> over      Ended: the body and the hooks have returned, a failure is reported
//	over      -> counted   EndsLocked: the run is counted, and a task that goes on waits again
//	any       -> any       Told: what becomes of a task beside its runs; see [News]
//
// Of a run, or an attempt, each of the four is called once and in this order, even if a hook or an
// observer ends the goroutine. A run that is taken, but has nothing to begin, because its series is
// over or its calendar has failed, is told by Ended alone; see [Execution.Began].
//
// Methods that end in Locked are called with the lock of the owner held, so they call no user code
// and do not wait. The others are called without it, on the goroutine where it happens, and may
// call user code by [Owner.Guard]; as that may end the goroutine, what has to follow is deferred by
// the caller.
//
// A tap reads what [Execution] and [Plan] export. It writes four fields: Kept of a plan, with the
// lock held; Kept of an execution; and in Began its Ctx and Remark.
type Tap interface {
	// Admitted comes before the task can begin. In is when it is to run first, counted from now.
	// First has the Name, Scheduled and Periodic of that run, if the owner is Observed.
	Admitted(c *cell.Cell, pl *Plan, in time.Duration, first Info)

	// BeginsLocked comes when it is known that the run begins or has expired: with the beginning,
	// or, once a calendar has been asked, a moment later.
	BeginsLocked(x *Execution)

	// Began comes before the hooks before the run.
	Began(x *Execution)

	// Ended comes after the hooks after the run.
	Ended(x *Execution)

	// EndsLocked comes before the run is counted, so the counts are those before it.
	EndsLocked(x *Execution)

	// Told comes after what it tells.
	Told(n News)
}

// News is what has become of a task beside the steps of its runs.
type News struct {
	What string
	Task *cell.Cell
	Plan *Plan
	Run  Info  // as it was admitted, if it is rejected; the one in progress, if it overran
	Err  error // what the submitter gets, if it is rejected; of its future, if it is dropped
}

// What News tell, by the names that observers and recordings have for it.
const (
	TaskRejected  = "rejected"  // it is not accepted after all
	TaskCancelled = "cancelled" // by its future, or the context within which it was to run
	TaskDropped   = "dropped"   // handed back or discarded
	TaskPaused    = "paused"    // from outside, or by itself after failures
	TaskResumed   = "resumed"   // from outside
	TaskOverran   = "overran"   // a run exceeds its timeout, and the body may go on
	TaskOver      = "over"      // it has ended after its last run, which Ended could not know
	TaskFailed    = "failed"    // a failure has ended it; this may come twice, and in a run
)

// Sight is a tap that is always there, as the health of an owner is found out whether or not its
// runs are watched. So it is told of the owner itself, too; of each task of which something is
// expected; and of each pause, resumption, overrun and failure. Methods that end in Locked are
// called with the lock of the owner held, and the others, unless they say so, without it.
type Sight interface {
	Tap

	// LeftLocked is called when a series of which it has Kept something has left the owner.
	LeftLocked(pl *Plan)
	// CancelledLocked is called when the owner has found that a task was cancelled, once the ends of
	// runs are heeded.
	CancelledLocked(pl *Plan)
	// Dismiss is called when a task is cancelled that a failure has ended.
	Dismiss(pl *Plan)

	// HoldLocked is called when nothing is to start any more, and when all may again.
	HoldLocked(held bool)
	// HeldUntilLocked tells that nothing is to start between two moments.
	HeldUntilLocked(from, to int64)

	// BusyLocked is called when no worker is free, unless the owner is Watching.
	BusyLocked()
	// RecheckShortageLocked is called when the owner is Short, and that may be over.
	RecheckShortageLocked()
	// EndShortageLocked is called when the owner begins to refuse tasks.
	EndShortageLocked()

	// EndHealthLocked is called when the owner has ended.
	EndHealthLocked()
	// CloseRecording is called after that, once.
	CloseRecording()
}

// Open makes the owner ready for its first task: s watches it. It is called once. Runs says whether
// s is to be told of runs, tasks whether it is to be told of all that becomes of tasks as well, and
// hooked whether the owner has hooks around runs.
func (o *Owner) Open(s Sight, runs, tasks, hooked bool) {
	o.Sight = s
	if runs || tasks {
		o.Tap, o.ends = s, s
	}
	o.Observed, o.described, o.Watched = tasks, tasks || hooked, runs || tasks || hooked
}

// HeedEndsLocked has the sight told of the ends of all runs from now on, though it is not the tap.
// The lock is held.
func (o *Owner) HeedEndsLocked() { o.ends = o.Sight }

// CancelledLocked is called when the owner has found that a task was cancelled. The lock is held.
func (o *Owner) CancelledLocked(pl *Plan) {
	if o.ends != nil { // else no failure can have ended a task
		o.Sight.CancelledLocked(pl)
	}
}
