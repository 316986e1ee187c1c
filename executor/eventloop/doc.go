// Package eventloop is an executor of one goroutine, on which all of its tasks run, one after
// another: Netty's scheduled event executor, with the futures, periodic tasks and shutdown of
// package executor.
//
//	loop := eventloop.New(executor.Name("connections"))
//	defer loop.Close()
//
//	loop.Execute(task)                                // after what is due already
//	timeout, err := loop.Schedule(time.Minute, task)  // once, a minute from now
//	timeout.Cancel()                                  // O(1), and wakes nobody
//	loop.AtFixedRate(0, time.Second, task)            // every second
//
// Since tasks never run at the same time, data that only they touch needs no lock. A task that
// blocks holds up all the others; once another has been due for a minute meanwhile, the loop warns
// and names the task, and its health is degraded. A task that waits for another task of its own
// loop, which cannot begin meanwhile, gets [future.ErrSelfWait] at once.
//
// # Loop or pool
//
// A pool of one worker makes the same promises, but every submission takes the pool's lock and
// works on its heap. A loop takes a submission by one atomic exchange, and a cancellation by
// another; only the loop itself works on the heap. That suits many goroutines that set timeouts and
// nearly always cancel them.
//
// There is a price. A task cancelled from outside leaves a tombstone, without its body, until the
// loop passes by or some thousands have been cancelled since. And a loop has one goroutine: for
// more, see [executor.NewScheduledPool].
//
// A loop does not limit how many tasks wait. If submitters may outrun it, use a pool with a bounded
// queue.
//
// A loop is an [executor.Submitter], so bulk calls, groups and completion services run on it, and
// they know when they would wait for their own loop. [Submit] is cheaper than [executor.Submit],
// and only the future that it returns can tell a task that it would wait for its own loop. A serial
// executor on top of a loop is pointless.
//
// # Inside a task
//
// The methods of a loop may be called from its own tasks. They take the same path as from outside:
// to tell the difference they would need the caller's context, or an expensive look at its
// goroutine. [Loop.Turn] is the shortcut. It takes the context of the run, and its methods go
// straight to the heap: to schedule, and with [Turn.Cancel] to remove.
//
// # Tests
//
// A loop made inside a testing/synctest bubble runs on the bubble's clock. Make it inside the
// bubble, and close it before the bubble ends.
package eventloop
