package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Execute queues task to run as soon as a worker is free, after the tasks that are due already.
// There is no future: a failure goes to the error handler, a run that exceeds its [Timeout] at that
// moment. Execute returns [ErrNilTask], [ErrInvalid] for a bad option, [ErrShutdown] or
// [ErrSaturated], or the error of a [rejection.Policy], if the task will not run.
//
// On a pool with the default queue, without hooks around runs and without [PendingLimit], Execute
// without options allocates nothing but 1 KiB for every 64 runs, as long as no task asks its
// context for a signal.
func (p *Pool) Execute(task Task, opts ...TaskOption) error {
	if len(opts) == 0 && task != nil {
		return (*engine.Pool)(p).Door.Execute(task)
	}
	return submitter.Execute(p.Native(), task, opts)
}

// Submit is Execute with a future for the outcome. Its errors are those of Execute.
func (p *Pool) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return p.submit(context.Background(), false, task, opts)
}

// SubmitContext is Submit that waits for room until ctx ends, whatever the rejection policy. A nil
// ctx never ends. Submitters get room in the order in which they came.
//
// If ctx ends during the wait, the error matches [ErrSaturated] and the error of ctx; if it has
// ended before the call, [ErrRejected] and the error of ctx. If the pool is shut down, the error
// matches [ErrShutdown]. The context ends the wait, never the task: a task for which there was room
// just as ctx ended is accepted. The runs of the task know the values of ctx, as with [WithValues];
// to have its end end the task too, add [WithContext]. A ctx without values, such as one of
// context.WithTimeout alone, costs nothing for that.
//
// If there is no room and the caller is itself a task of the pool, it runs the new task at once,
// because it might otherwise wait for itself. A goroutine of such a task waits; see
// [rejection.Task.Wait].
func (p *Pool) SubmitContext(
	ctx context.Context, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return p.submit(ctx, true, task, opts)
}

// submit is the common part of all submissions of a task without a value.
func (p *Pool) submit(
	ctx context.Context, wait bool, task Task, opts []TaskOption,
) (*future.Future[struct{}], error) {
	f := new(future.Future[struct{}])
	s := engine.Submission{Cell: (*cell.Core[struct{}])(f).Cell(), Task: task}
	if len(opts) > 0 || task == nil {
		if err := submitter.Resolve(p.engine(), &s, opts); err != nil {
			return nil, err
		}
	}
	if err := (*engine.Pool)(p).Door.Submit(ctx, wait, s); err != nil {
		return nil, err
	}
	return f, nil
}

// Submit queues fn on p, to run as soon as a worker is free, and returns the future of its result.
// Its errors are those of [Pool.Submit].
func Submit[V any](p Submitter, fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	return submit(context.Background(), false, p, fn, opts)
}

// SubmitContext is Submit that waits for room until ctx ends; see [Pool.SubmitContext]. A
// [Submitter] without such a method does not wait: there it is Submit, unless ctx has already
// ended. The runs of the task know the values of ctx on any Submitter.
func SubmitContext[V any](
	ctx context.Context, p Submitter, fn future.Func[V], opts ...TaskOption,
) (*future.Future[V], error) {
	return submit(ctx, true, p, fn, opts)
}

func submit[V any](
	ctx context.Context, wait bool, p Submitter, fn future.Func[V], opts []TaskOption,
) (*future.Future[V], error) {
	var c submitter.Call[V]
	if err := submitter.Submit(&c, ctx, wait, p, wayOf(p), fn, opts); err != nil {
		return nil, err
	}
	return c.Future, nil
}
