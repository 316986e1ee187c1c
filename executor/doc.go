// Package executor runs tasks on bounded pools of reused workers: now, later, or again and again.
// [ScheduledPool] is java.util.concurrent's ScheduledThreadPoolExecutor for Go.
//
//	pool := executor.NewScheduledPool(4)
//	defer pool.Close()
//
//	pool.Schedule(time.Minute, task)               // once, a minute from now
//	pool.AtFixedRate(0, 10*time.Second, task)      // every ten seconds, on a grid
//	pool.WithFixedDelay(0, 10*time.Second, task)   // ten seconds from end to start
//	answer, err := executor.Submit(pool, compute)  // now; a typed future
//
// # Words
//
// A task is accepted when a submission returns no error. It is due when its time has come. It is
// pending until it begins, and it ends once: by its last run, by cancellation, or dropped by a
// shutdown. Then its future is settled. These words are used in no other sense here.
//
// # Tasks
//
// A task is a func(context.Context) error, or with a result a func(context.Context) (V, error). The
// context belongs to one run: it ends when the run does, when its future is cancelled, when its
// [Timeout] is over, or when the pool is stopped by ShutdownNow; context.Cause tells which:
// [future.ErrCancelled] or the cause given to CancelCause, [future.ErrTimeout], or [ErrShutdown].
// [RunFrom] tells a task which run it is in, when it was planned for, and what it has missed. Use
// the context during the run only; a goroutine that outlives it should have asked for Done before.
//
// # Failures
//
// An error, a panic or a runtime.Goexit of a task goes into its future. What has no future goes to
// the [ErrorHandler], or to the log. A periodic task ends with the first failure, unless
// [OnError](Continue) is given, and never in silence.
//
// # Shutdown
//
// Close the pool when it is of no use any more: Close for services, which drops what is not yet due;
// Shutdown to let everything run as in Java; ShutdownNow to stop; CloseContext for a limited time
// and a report. All of them may be called from a task, and twice.
//
// # Tests
//
// A pool made inside a testing/synctest bubble runs on its clock: a century costs nothing, and every
// start is exact. Make the pool inside the bubble, close it before the bubble ends, and derive
// contexts from that of the bubble.
package executor
