// Package eventloop is an executor of one goroutine that keeps its tasks to itself: the scheduled event
// executor of Netty, with the futures, series and shutdown of package executor.
//
//	loop := eventloop.New(executor.Name("connections"))
//	defer loop.Close()
//
//	loop.Execute(task)                                // after what is due already
//	timeout, err := loop.Schedule(time.Minute, task)  // once, a minute from now
//	timeout.Cancel()                                  // O(1), and wakes nobody
//	loop.AtFixedRate(0, time.Second, task)            // every second
//
// As its tasks run one after another, what only they touch needs no lock. A task that waits for something
// else than its own work holds up all others; one that waits for another task of its loop gets
// [future.ErrSelfWait] instead.
//
// # Loop or pool
//
// A pool of one worker keeps the same promises, but every submission takes the lock of the pool and
// works on its heap. To a loop submitters hand their tasks by one atomic exchange, and cancel them by
// another; the heap stays with the loop. It is meant for many goroutines that arm time-outs which are
// nearly always cancelled. It pays for that in two ways. A task cancelled from outside leaves a tombstone,
// without its body, until the loop comes by, or some thousands have been cancelled since. And a loop has
// one goroutine: see
// [executor.NewScheduledPool] for more.
//
// A loop does not bound how many tasks wait: who submits without measure wants a pool with a bounded
// queue. It is an [executor.Submitter], for bulk calls, groups and completion services, whose waits know
// of it; but a serial executor has no use for a loop. [Submit] is cheaper than [executor.Submit], and a
// task that waits for such a future is told that it waits for its own loop.
//
// # Inside of a task
//
// The methods of a loop take any caller for one from outside, which is correct from a task of the loop,
// too. To tell the two apart they would need the context of the caller, or an expensive look at its
// goroutine.
// [Loop.Turn] gives a task, for the context of its run, the way in: straight to the heap, and with
// [Turn.Cancel] out of it.
//
// # Tests
//
// A loop made inside a testing/synctest bubble runs on its clock. Make it inside the bubble, and close it
// before the bubble ends.
package eventloop
