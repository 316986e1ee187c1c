// Package future holds the results of tasks: [Future] is the side that reads, [Task] and [Promise]
// are the sides that write. It is java.util.concurrent's Future, FutureTask and the useful part of
// CompletableFuture, for Go.
//
//	t := future.NewTask(func(ctx context.Context) (int, error) { return 42, nil })
//	go t.Run(ctx)
//	v, err := t.Future().Get(ctx)
//
// # Settled and stopped
//
// A future is settled once: as succeeded, failed or cancelled. It is settled at the moment of
// cancellation, as in Java, even while the body of the task goes on; [Future.Stopped] tells when no
// body is running any more. Whoever asks after a future is settled gets the same answer for ever.
//
// What a task does happens before a Get of its future returns.
//
// # Failures
//
// A body that panics settles its future with a [PanicError], one that calls runtime.Goexit (as
// t.FailNow does) with [ErrGoexit]. A cancelled future answers [ErrCancelled], for which
// errors.Is(err, context.Canceled) holds too, together with the reason if one was given.
//
// # Cost
//
// A task and its future are one allocation. Waiting costs those who wait: the channel behind Done
// is made on first use.
package future
