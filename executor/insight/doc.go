// Package insight says what is to be watched of a pool or an event loop, and what has been seen:
// how late runs begin and what they have waited for, how long they take, what has happened lately,
// and whether what is expected of tasks holds.
//
//	pool := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Watch(insight.Config{
//		History:     true,                   // the last ten minutes
//		ExplainLate: 100 * time.Millisecond, // log why a run is so late
//	}))
//	pool.Every(time.Minute, sync, executor.Name("sync"),
//		executor.Expect(insight.SuccessWithin(3*time.Minute)))
//
//	seen := pool.Insight()
//	fmt.Println(seen.Measurements().Late.Quantile(0.99), seen.Health().Err())
//
// What is asked for is one option, a [Config]; what has been seen is one [View]. Package executor
// has what takes part in the life of a task: its Observer is told of each event as it happens, and
// Handle.History has the last runs of one periodic task. A figure has one home: Stats, metrics,
// pages and the methods of a View tell the same.
//
// # Cost
//
// Without Watch nothing is kept, and a run costs nothing more; a pool can tell its health all the
// same. With it a run costs some tens of nanoseconds, and the pool about 1 KiB for each name of a
// task; Config says more, and what each of its fields costs. To look takes the lock of the executor
// for as long as it takes to copy what is shown, see View.
//
// # Errors
//
// Nothing here fails while tasks run. A Config that makes no sense panics in Watch, or in the
// constructor of the pool or loop; an [Expectation] that makes none is the error of the submission.
// Functions of the user are called without a lock; if one panics, that is reported like the panic
// of a hook.
package insight
