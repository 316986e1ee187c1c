package executor

import (
	"context"
	"errors"
	"slices"

	"github.com/punctual-go/punctual/future"
)

// InvokeAll runs all functions on p and waits for them. It returns their futures in the order of
// the functions, all of them settled; the failure of a function is found in its future alone.
// InvokeAll of nothing returns an empty slice. A nil ctx never ends. A task of the same pool may
// call InvokeAll, with its own context.
//
// If ctx ends first, the functions that have not ended are cancelled with its cause, and InvokeAll
// returns its error with the futures. If the pool refuses a function, the others are cancelled, and
// that error is returned with the futures. Whether to refuse is up to the [RejectionPolicy];
// [Block] waits no longer than ctx. If a function is nil, InvokeAll starts nothing and returns
// [ErrNilTask]. The functions know the values of ctx, see [WithValues].
//
// It is invokeAll of java.util.concurrent's ExecutorService.
func InvokeAll[V any](
	ctx context.Context, p Submitter, fns ...future.Func[V],
) ([]*future.Future[V], error) {
	ctx, err := checkBulk(ctx, fns)
	if err != nil {
		return nil, err
	}
	fs := make([]*future.Future[V], len(fns))
	var behind []*future.Future[struct{}] // futures of a foreign Submitter; else nil
	finished := false
	defer func() {
		if !finished { // a policy has panicked, or a task has ended its caller
			cancelAll(fs, errNotNeeded)
		}
	}()
	for i, fn := range fns {
		if err == nil {
			err = endOf(ctx)
		}
		if err == nil {
			var b *future.Future[struct{}]
			if fs[i], b, err = submitAny(ctx, false, p, fn, nil); b != nil {
				behind = append(behind, b)
			}
		}
		if fs[i] == nil {
			fs[i] = new(future.Future[V])
			fs[i].CancelCause(err)
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
			err = endOf(ctx) // if that has ended it while the caller ran it
		}
	}
	cancelAll(fs, err)
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
	return InvokeAnyHedged(ctx, p, 0, fns...)
}

// errNotNeeded is the reason for which bulk operations cancel what is left.
var errNotNeeded = errors.New("executor: the result is no longer needed")

// checkBulk checks the arguments of a bulk operation, and returns a context that is not nil.
func checkBulk[V any](ctx context.Context, fns []future.Func[V]) (context.Context, error) {
	for _, fn := range fns {
		if fn == nil {
			return nil, ErrNilTask
		}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return ctx, nil
}

// cancelAll cancels the unsettled futures with reason, last first. With a nil reason all are
// settled already. The later ones wait behind the earlier, and must not begin in the room that
// these leave.
func cancelAll[V any](fs []*future.Future[V], reason error) {
	for _, f := range slices.Backward(fs) {
		if reason != nil && f != nil {
			f.CancelCause(reason)
		}
	}
}
