package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/completion"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
)

// InvokeAll runs all functions on p and waits for them. It returns their futures in the order of
// the functions, all of them settled; the failure of a function is found in its future alone.
// InvokeAll of nothing returns an empty slice. A nil ctx never ends. A task of the same pool may
// call InvokeAll, with its own context.
//
// If ctx ends first, the functions that have not ended are cancelled with its cause, and InvokeAll
// returns its error with the futures. If the pool refuses a function, the others are cancelled, and
// that error is returned with the futures. Whether to refuse is up to the [rejection.Policy];
// [rejection.Block] waits no longer than ctx. If a function is nil, InvokeAll starts nothing and
// returns [ErrNilTask]. The functions know the values of ctx, see [WithValues].
//
// It is invokeAll of java.util.concurrent's ExecutorService.
func InvokeAll[V any](
	ctx context.Context, p Submitter, fns ...future.Func[V],
) ([]*future.Future[V], error) {
	ctx, err := completion.Check(ctx, fns)
	if err != nil {
		return nil, err
	}
	fs := make([]*future.Future[V], len(fns))
	var behind []*future.Future[struct{}] // futures of a foreign Submitter; else nil
	finished := false
	defer func() {
		if !finished { // a policy has panicked, or a task has ended its caller
			completion.CancelAll(fs, completion.ErrNotNeeded)
		}
	}()
	for i, fn := range fns {
		var c submitter.Call[V]
		if err == nil {
			err = submitter.EndOf(ctx)
		}
		if err == nil {
			err = submitter.Submit[V, TaskOption](&c, ctx, false, p, wayOf(p), fn, nil)
		}
		if err != nil {
			c.Future = new(future.Future[V])
			c.Future.CancelCause(err)
		}
		fs[i] = c.Future
		if c.Behind != nil {
			behind = append(behind, c.Behind)
		}
	}
	for i, f := range fs {
		if err != nil {
			break
		}
		// A foreign future may know better who waits for it, so it is waited for first.
		if behind != nil {
			if _, failure := behind[i].Get(ctx); !behind[i].State().Settled() {
				err = failure
				break
			}
		}
		if _, failure := f.Get(ctx); !f.State().Settled() {
			err = failure // of the wait
		} else if f.State() == future.Cancelled {
			err = submitter.EndOf(ctx) // if that has ended it while the caller ran it
		}
	}
	completion.CancelAll(fs, err)
	finished = true
	return fs, err
}

// InvokeAny runs functions on p until one succeeds, returns its value, and cancels the others. It
// starts them one after another, and no more once one has succeeded. A nil ctx never ends. A task
// of the same pool may call InvokeAny, with its own context.
//
// If all fail, InvokeAny returns their errors, joined in the order of failure. If ctx ends first,
// it returns the error of ctx; if the pool refuses a function, that error. If a function is nil, it
// starts nothing and returns [ErrNilTask]; without any function it returns [ErrInvalid]. The
// functions know the values of ctx, see [WithValues].
//
// It is invokeAny of java.util.concurrent's ExecutorService.
func InvokeAny[V any](ctx context.Context, p Submitter, fns ...future.Func[V]) (V, error) {
	return completion.InvokeAny[V, TaskOption](ctx, p, 0, fns)
}
