// Package fallback gives a value in place of one that comes too late.
//
//	f, err := executor.Submit(pool, quote, executor.Timeout(time.Second))
//	…
//	price := fallback.New(f, lastPrice)
//	v, err := price.Get(ctx) // lastPrice after a second, whatever becomes of the body of quote
//
// It is submitWithTimeout of JDK 25's ForkJoinPool. What has a time limit is the task:
//
//   - [executor.Timeout] bounds its run. With [executor.Retry] it bounds each attempt: if the last
//     is too late, there is the fallback, once no other attempt may follow.
//   - [executor.BeginWithin] bounds how long it waits to begin: for a worker, a turn, a pace.
//   - Both may come from the pool, see [executor.Defaults].
//
// A failure of the body stays a failure, and a cancellation a cancellation, also one by a shutdown.
// An error that the body has from elsewhere, such as the [future.ErrTimeout] of a wait, is a
// failure of the body.
//
// A fallback works with the future of any pool, event loop or serial executor. To give one to a
// call of executor.InvokeAny or bulk.InvokeAnyHedged, submit a task that makes the call, with its
// own context: when its time is over, the calls under way are cancelled.
package fallback
