// Package future holds the results of tasks. [Future] is the side that reads; [Task] and [Promise]
// are the sides that write. Together they are java.util.concurrent's Future and FutureTask, and the
// useful part of its CompletableFuture.
//
//	t := future.NewTask(func(ctx context.Context) (int, error) { return 42, nil })
//	go t.Run(ctx)
//	v, err := t.Future().Get(ctx)
//
// # Settled and stopped
//
// A future is settled once: as succeeded, failed or cancelled. As in Java, a cancellation settles
// it at once, even while the body of its task is still running; [Future.Stopped] tells when no body
// is running any more. A settled future never changes: everyone who asks gets the same outcome.
//
// What a task does before its future is settled happens before a Get of that future returns.
//
// # Failures
//
// A body that panics fails its future with a [PanicError]. One that calls runtime.Goexit, as
// t.FailNow does, fails it with [ErrGoexit]. The error of a cancelled future matches [ErrCancelled]
// and context.Canceled, and the reason for the cancellation if one was given.
//
// # Cost
//
// A task and its future are one allocation. Waiting is paid for by those who wait: the channel that
// Done returns is made on first use.
package future
