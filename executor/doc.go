// Package executor runs tasks on bounded pools of reused goroutines: now, later or periodically.
// [Pool] is modelled on java.util.concurrent's ThreadPoolExecutor, [ScheduledPool] on its
// ScheduledThreadPoolExecutor.
//
//	pool := executor.NewScheduledPool(4)
//	defer pool.Close()
//
//	pool.Schedule(time.Minute, task)               // once, a minute from now
//	pool.Every(10*time.Second, task)               // every ten seconds, and no burst after a stall
//	pool.AtFixedRate(0, 10*time.Second, task)      // every ten seconds, as Java does it
//	pool.WithFixedDelay(0, 10*time.Second, task)   // ten seconds from end to start
//	answer, err := executor.Submit(pool, compute)  // now; a typed future
//
//	workers := executor.NewPool(4, executor.MaximumSize(16), executor.Queue(queue.Bounded(1000)))
//	workers.Execute(task)                            // or refuse with ErrSaturated
//	workers.SubmitContext(ctx, task)                 // wait for room
//	results, err := executor.InvokeAll(ctx, workers, compute, compute)
//
// # Words
//
// A worker is a goroutine of the pool that runs one task after another.
//
// A task is accepted when its submission returns no error. It is due once its time has come, and
// pending until it begins. It ends exactly once: by its last run, by being cancelled, or by being
// dropped, either by a shutdown, which hands it back, or by a [rejection.Policy]. Its future is
// then settled. The package uses these words in no other sense.
//
// # Tasks
//
// A task is a func(context.Context) error or, if it has a result, a func(context.Context) (V,
// error). Each run has a context of its own. It ends when the run does, when the task's future is
// cancelled, when the run exceeds its [Timeout], or when ShutdownNow stops the pool. context.Cause
// tells which: [future.ErrCancelled] or the cause given to CancelCause, [future.ErrTimeout], or
// [ErrShutdown]. A context that is kept beyond the run has ended. [RunFrom] tells a task which run
// it is in, when that run was planned, and which periods were missed.
//
// # Recipes
//
// Debounce: one run, half a second after the last of many events. Package debounce does this for
// several goroutines, with a limit and a flush, and reports errors; here an error of save is in the
// future alone.
//
//	if pending == nil || !pending.Reset(500*time.Millisecond) { // it has run: the next is another
//		pending, err = pool.Schedule(500*time.Millisecond, save)
//	}
//
// Retry, with exponential back-off and full jitter; no worker is held meanwhile.
//
//	f, err := pool.Submit(push, executor.Retry(5, retry.Backoff{Base: time.Second}))
//
// Fan out, in order and bounded; the first error cancels the rest.
//
//	users, err := bulk.Map(ctx, pool, ids, load)
//
// Poll, and less often while it fails.
//
//	f, err := pool.WithFixedDelay(0, time.Second, poll, executor.SlowDown(2, time.Minute))
//
// Every night at three, in Berlin, also when the clocks change.
//
//	f, err := pool.On(cron.MustParse("0 3 * * *", cron.Zone(berlin)), report)
//
// A periodic task is steered from outside by its [ScheduledFuture] or its [Handle]: [Handle.Pause],
// [Handle.Trigger], [Handle.SetPeriod]. From inside, [NextIn] says when the next run comes, and
// [HandleFrom] returns the task's own handle. [Unique] and [Pool.Lookup] find a task by its name,
// and [ScheduledPool.Apply] makes a list of jobs those of the pool, which [ScheduledPool.Plan] looks
// at first; in package workflow they run after each other. [Pace] limits how many tasks start, and
// holds no worker; [Pool.Pause] lets none start.
//
// # Options
//
// An [Option] is for a pool, when it is made. A [CommonOption] is for pools and event loops alike.
// A [TaskOption] is for one submission, or by [Defaults] for all of a pool. What [Queue],
// [OnRejection] and [Retry] take is in the packages queue, rejection and retry, and what [Watch] and
// [Expect] take is in package insight.
//
//	of pools                workers           MaximumSize GrowFirst KeepAlive CoreTimeout
//	                                          Confined
//	                        queue             Queue PendingLimit OnRejection Pace
//	                        hooks             Decorate BeforeRun AfterRun AfterTermination
//	of event loops as well  its name          Name
//	                        wake-ups          Slack
//	                        tasks             Defaults BaseContext
//	                        failures          ErrorHandler Logger
//	                        seeing            Watch Observe
//	of tasks                who it is         Name Unique Priority
//	                        when it runs      From Until MaxRuns CatchUp Jitter DelayBy WallClock
//	                        too long or late  Timeout BeginWithin
//	                        after failures    Retry FailurePolicy SlowDown PauseAfter
//	                        contexts          WithContext WithValues
//	                        expectations      Expect
//
// # Waiting inside a task
//
// A task may submit tasks to its own pool and wait for them, whatever the size of the pool: while
// it waits, the task it waits for runs in its place, ahead of its turn. The pool recognizes the
// waiting task by its goroutine, so any context will do, and so will GetTimeout.
//
// Other goroutines that a task has started may wait too; the function given to iter.Pull runs on
// one. If such a goroutine waits with the context of the task, or one derived from it, the pool
// cannot know whether the task is busy meanwhile or is waiting for that goroutine. So the pool lets
// 10 ms pass, and then twice as long each time. What has not begun by then runs in excess of the
// pool's size: one task at a time for each task whose goroutines wait, and more as long as no more
// than twice the size are running. With any other context the goroutine is a stranger, and if its
// task waits for it, a small pool may block forever.
//
// A wait that ends early, because its context or its time has ended, leaves the task that it was
// for running, in excess of the size as well. While a pool exceeds its size, its workers take no
// new tasks. A hook after a run may execute at the same time as code that has waited for that run.
//
// A [Confined] pool never runs two tasks at once, except those that submitters run themselves under
// [rejection.CallerRuns]. A wait that ends early does not return there until its place is free
// again, just as the wait on a condition variable does not return without the lock; and goroutines
// that a task has started get no help. So waiting for a limited time and then cancelling does not
// work there once the awaited task has begun: give that task a [Timeout].
//
// Only a queued task can run in place of the one that waits. Three kinds of wait may therefore
// block a small pool forever: by other means, such as a channel or f.Done; for the end of a
// periodic task; and for what [future.Then] derives from another future. So may two pools whose
// tasks wait for each other's. A task that waits for itself, or for a task behind it in a
// serial.Serial, gets [future.ErrSelfWait].
//
// # What happens before what
//
// In the sense of the Go memory model, what stands on the left happens before what stands on the
// right. What is handed over along an arrow needs no lock.
//
//	a submission is called                    -> the body of the task begins
//	a run, or an attempt, ends                -> the next one of the task begins
//	a task of a Serial, or of a key, ends     -> the next one begins
//	a task of a confined pool ends            -> the next one begins
//	a body returns                            -> its future shows its outcome
//	Cancel is called                          -> the context of the body has ended
//	Cancel or Stop is called                  -> the future shows that
//	a body returns, even a cancelled one      -> Stopped is closed
//	Trigger, Reset or Resume is called        -> the run that it lets begin
//	the bodies of a Group, or of Map, return  -> Wait, or Map, returns
//	the body of a Unique task returns         -> the next of its name is accepted
//	a method shuts the pool down              -> a function of AfterShutdown
//	all bodies and hooks return               -> Terminated is closed
//
// A future shows something by Get, GetTimeout, Poll, Done and AfterSettled alike. Close and
// AwaitTermination return nil after Terminated is closed. A confined pool is one made with
// [Confined]; a task that waits for another one lets that run in between, and
// [rejection.CallerRuns] is an exception.
//
// Two tasks of a pool have no other order: it is not enough that one was submitted first, or began
// first. And a future that a cancellation, a timeout or a shutdown has settled says nothing about
// its body, which may still be running: wait for Stopped.
//
// # Failures
//
// An error, a panic or a runtime.Goexit of a task goes into its future. Without a future it goes to
// the [ErrorHandler], or else to the log. Panics and Goexits go there in any case: they are
// mistakes in the program, and nobody may be looking at the future.
//
// If a run of a periodic task returns an error, or exceeds its [Timeout], that is the outcome of
// this run alone: it is reported, and the series goes on. A panic ends the series, and is always
// reported. [FailurePolicy] changes both. What no Go program survives ends the process here as
// anywhere else: a concurrent map write, a stack overflow, running out of memory or threads,
// os.Exit.
//
// A hook, an observer or another callback that panics or calls Goexit is reported in the same way,
// and harms no task.
//
// # Goroutines
//
// What a task leaves on the goroutine of its worker stays there for the tasks that follow: the
// thread of a runtime.LockOSThread without UnlockOSThread, debug.SetPanicOnFault, whatever a C
// library or the kernel keeps per thread. A pool cannot detect that at a bearable cost; it resets
// the pprof labels and nothing else. So undo such things in a defer, or do the work on a goroutine
// that the task starts and waits for. A task that ends by runtime.Goexit takes its goroutine with
// it, and any thread locked to that, but counts as failed. Under [rejection.CallerRuns] a task runs
// on the goroutine of its submitter.
//
// # Shutdown
//
// Shut a pool down when it is no longer needed. Close suits services: it drops what is not yet due
// and waits for the rest. Shutdown lets accepted tasks run, as in Java, and does not wait.
// ShutdownNow stops everything. CloseContext is Close with a limit and a report. All of them may be
// called from a task or a callback, and more than once.
//
// # Seeing what happens
//
// [Pool.Stats], [Pool.Running] and [Pool.Next] show the state of a pool, [Pool.Series] and
// [Handle.Status] that of its periodic tasks. [Watch] keeps histograms and the last ten minutes,
// says what a late run waited for, and writes down what happens; [Pool.Insight] shows what was
// seen, and whether what you [Expect] holds: see package insight. An observer, see [Observe], is
// called at each event. The module contrib/inspect shows all of it as a live page.
//
// During a run the goroutine carries the names of pool and task, if they have any, as the pprof
// labels "pool" and "task", so a CPU profile shows where the time went. A task that its caller runs
// keeps the caller's labels.
//
// # Tests
//
// A pool made inside a testing/synctest bubble uses the bubble's clock: a century passes at once,
// and every start is exact. Make the pool inside the bubble, close it before the bubble ends, and
// derive contexts from the bubble's.
//
// # Coming from elsewhere
//
// The folder docs of the repository begins with [the first hour], and has pages for those who come
// from time.Ticker, from cron libraries, from other pools or from Java; the folder examples has
// programs to copy.
//
// [the first hour]: https://github.com/punctual-go/punctual/blob/main/docs/README.md
package executor
