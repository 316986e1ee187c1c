// Package rejection says what becomes of a task for which a pool has no room: it is refused, or
// dropped, or queued in the place of another, or its submitter runs it, or waits.
//
//	pool := executor.NewPool(4, executor.Queue(queue.Bounded(100)),
//		executor.OnRejection(rejection.CallerRuns))
//
// A [Policy] of your own is a function, built from the methods of [Task]. What is refused is
// refused with the errors of the pool, such as executor.ErrSaturated.
package rejection
