// Package rejection has policies for tasks that a pool has no room for: such a task is refused, or
// dropped, or takes the place of another, or its submitter runs it, or waits.
//
//	pool := executor.NewPool(4, executor.Queue(queue.Bounded(100)),
//		executor.OnRejection(rejection.CallerRuns))
//
// A [Policy] of your own is a function, built from the methods of [Task]. Refusals are the errors
// of the pool, such as executor.ErrSaturated.
package rejection
