// Package executor runs tasks on bounded pools of reused workers: now, later, or again and again.
// [Pool] is java.util.concurrent's ThreadPoolExecutor for Go, [ScheduledPool] its
// ScheduledThreadPoolExecutor.
//
//	pool := executor.NewScheduledPool(4)
//	defer pool.Close()
//
//	pool.Schedule(time.Minute, task)               // once, a minute from now
//	pool.AtFixedRate(0, 10*time.Second, task)      // every ten seconds, on a grid
//	pool.WithFixedDelay(0, 10*time.Second, task)   // ten seconds from end to start
//	answer, err := executor.Submit(pool, compute)  // now; a typed future
//
//	workers := executor.NewPool(4, executor.MaximumSize(16), executor.BoundedFIFO(1000))
//	workers.Execute(task)                            // or refuse with ErrSaturated
//	workers.SubmitContext(ctx, task)                 // wait for room
//	results, err := executor.InvokeAll(ctx, workers, compute, compute)
//
// # Words
//
// A task is accepted when a submission returns no error. It is due when its time has come. It is
// pending until it begins, and it ends once: by its last run, by cancellation, or dropped by a
// shutdown, which hands it back, or by a [RejectionPolicy]. Then its future is settled. These words are
// used in no other sense here.
//
// # Tasks
//
// A task is a func(context.Context) error, or with a result a func(context.Context) (V, error). The
// context belongs to one run: it ends when the run does, when its future is cancelled, when its
// [Timeout] is over, or when the pool is stopped by ShutdownNow; context.Cause tells which:
// [future.ErrCancelled] or the cause given to CancelCause, [future.ErrTimeout], or [ErrShutdown].
// [RunFrom] tells a task which run it is in, when it was planned for, and what it has missed. The
// context ends with the run for everybody who asks, then or later.
//
// # Waiting inside of a task
//
// A task may submit others to its own pool and wait for them, at any size of the pool: while it waits,
// what it waits for runs in its place, ahead of its turn. Who waits is told by the goroutine, so any
// context will do, and so will GetTimeout.
//
// Another goroutine that a task has started may wait as well; the function given to iter.Pull runs
// on one, too. If it waits with the context of the task, or one derived from it, the pool cannot
// know whether the task goes on meanwhile or waits for that goroutine. So it waits, too, for 10 ms
// and then for twice as long each time; what has not begun by then runs beyond the size of the pool,
// which is exceeded by no more than its size. So tasks that wait for goroutines whose tasks do so in
// turn, nested deeper than that, may block the pool for ever: let the task itself wait, by
// [InvokeAll] or a [Group]. With another context a goroutine is a stranger, and if its task waits for
// it, a small pool may be blocked for ever. A wait that has ended early, by its context or time,
// leaves what it has waited for running, beyond the size likewise; until that has ended the workers
// take nothing new.
//
// A pool of [NewSinglePool] or [NewSingleScheduledPool] never runs two tasks at once. There a wait
// that ends early does not return before its place is free again, as that of a condition variable
// for its lock, and a goroutine of a task is not helped. So to wait for a limited time and then to
// cancel what has begun does not do there: limit that by its own [Timeout].
//
// Only what is queued can run in place of a task: to wait by other means, a channel or f.Done, for
// the end of a periodic task, or for what [future.Then] makes of another's outcome may block a small
// pool for ever; so may two pools whose tasks wait for each other's. To wait for oneself, or for what
// comes after oneself in a [Serial], is refused with [future.ErrSelfWait].
//
// # Failures
//
// An error, a panic or a runtime.Goexit of a task goes into its future. What has no future goes to
// the [ErrorHandler], or to the log; and so does every panic and Goexit, whoever holds the future:
// it is a mistake in the program, and the future may have been dropped.
//
// An error that a run of a periodic task returns, and a [Timeout] that it outlives, are the outcome
// of that run: they are told, and the series goes on. A panic ends it, and never in silence.
// [OnError] changes both. What no Go program survives ends the process here as anywhere: a
// concurrent map write, a stack overflow, want of memory or threads, os.Exit.
//
// # Goroutines
//
// The goroutine of a worker serves one task after another, and keeps what a task leaves on it for
// all that come later: the thread of a runtime.LockOSThread without its UnlockOSThread,
// debug.SetPanicOnFault, what a C library or the kernel keeps by thread. A pool cannot find that
// out at a bearable cost; its pprof labels are all that it puts back. So undo such things by a
// defer, or do the work on a goroutine that the task starts for it and waits for; a task that ends
// by runtime.Goexit takes its goroutine, and a thread locked to it, along, at the price of a
// failure. Under [CallerRuns] a task shares the goroutine of its submitter.
//
// # Shutdown
//
// Close the pool when it is of no use any more: Close for services, which drops what is not yet due;
// Shutdown to let everything run as in Java; ShutdownNow to stop; CloseContext for a limited time
// and a report. All of them may be called from a task, and twice.
//
// # Profiles
//
// The goroutine of a run carries the names of its pool and of its task as the pprof labels "pool" and
// "task", if they have any: a CPU profile tells what the time went into. A task that its caller runs goes
// under the labels of that.
//
// # Tests
//
// A pool made inside a testing/synctest bubble runs on its clock: a century costs nothing, and every
// start is exact. Make the pool inside the bubble, close it before the bubble ends, and derive
// contexts from that of the bubble.
package executor
