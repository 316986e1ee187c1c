package run

// Tap is told of the runs of the tasks of an owner, and [Sight] of all else in their lives. What
// watches tasks learns of them here and nowhere else, and the runs know nothing of what that is.
// [Owner.Open] says how much they are told: of runs alone, or of Admitted and Told as well.
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
	// BeginsLocked comes when it is known that the run begins or has expired: with the beginning,
	// or, once a calendar has been asked, a moment later.
	BeginsLocked(x *Execution)

	// Began comes before the hooks before the run.
	Began(x *Execution)

	// Ended comes after the hooks after the run.
	Ended(x *Execution)

	// EndsLocked comes before the run is counted, so the counts are those before it.
	EndsLocked(x *Execution)
}

// Watcher is all that watches an owner.
type Watcher interface {
	Sight
	Tap
}
