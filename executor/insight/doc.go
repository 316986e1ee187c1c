// Package insight says what to watch of a pool or an event loop, and shows what was seen: how late
// runs begin and what they have waited for, how long they take, what has happened lately, and
// whether what is expected of tasks holds.
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
// What to watch is one option, a [Config]; what was seen is one [View]. What takes part in the life
// of a task is in package executor: an Observer is called at each event, and Handle.History has the
// last runs of one periodic task. Each figure has one source, so Stats, metrics, pages and the
// methods of a View agree.
//
// # Cost
//
// Without Watch nothing is kept, and a run costs nothing more; a pool knows its health even so.
// With it a run costs some tens of nanoseconds, and the pool about 1 KiB for each name of a task;
// Config says more, and what each of its fields costs. Looking takes the lock of the executor for
// as long as it takes to copy what is shown, see View.
//
// # Errors
//
// Nothing here fails while tasks run. A Config that makes no sense panics in Watch, or in the
// constructor of the pool or loop; an [Expectation] that makes none is the error of the submission.
// Functions of the user are called without a lock; if one panics, that is reported like the panic
// of a hook.
package insight
