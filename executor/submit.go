package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Execute queues task to run as soon as a worker is free, after the tasks that are due already.
// There is no future: a failure goes to the error handler, a run that exceeds its [Timeout] at that
// moment. Execute returns [ErrNilTask], [ErrInvalid] for a bad option, [ErrShutdown] or
// [ErrSaturated], or the error of a [RejectionPolicy], if the task will not run.
//
// On a pool with the default queue, without hooks around runs and without [PendingLimit], Execute
// without options allocates nothing but 1 KiB for every 64 runs, as long as no task asks its
// context for a signal.
func (p *Pool) Execute(task Task, opts ...TaskOption) error {
	if len(opts) == 0 && task != nil {
		return (*engine.Pool)(p).Door.Execute(task)
	}
	return p.execute(task, nil, opts)
}

// execute submits a task without a future, to a lane if there is one.
func (p *Pool) execute(task Task, l *engine.Lane, opts []TaskOption) error {
	s := engine.Submission{Cell: new(cell.Cell), Task: task, Lane: l, Reports: true}
	if err := p.resolve(&s, opts); err != nil {
		return err
	}
	return p.engine().Door.Submit(context.Background(), false, s)
}

// Submit is Execute with a future for the outcome. Its errors are those of Execute.
func (p *Pool) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return submitTask(context.Background(), false, p, task, opts)
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
// [Rejection.Wait].
func (p *Pool) SubmitContext(
	ctx context.Context, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return submitTask(ctx, true, p, task, opts)
}

// submitTask is the common part of all submissions of a task without a value to a Submitter of this
// package.
func submitTask(
	ctx context.Context, wait bool, p native, task Task, opts []TaskOption,
) (*future.Future[struct{}], error) {
	f := new(future.Future[struct{}])
	if err := p.submit(ctx, wait, cellOf(f), task, opts); err != nil {
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
	f, _, err := submitAny(ctx, wait, p, fn, opts)
	return f, err
}

// submitAny is submit that also returns the future of a foreign Submitter; nil for one of this
// package.
func submitAny[V any](
	ctx context.Context, wait bool, p Submitter, fn future.Func[V], opts []TaskOption,
) (f *future.Future[V], behind *future.Future[struct{}], err error) {
	own := nativeOf(p)
	switch {
	case fn == nil && own != nil:
		return nil, nil, own.base().misused(opts, ErrNilTask)
	case fn == nil:
		return nil, nil, ErrNilTask
	case own != nil:
		f = new(future.Future[V])
		err = own.submit(ctx, wait, cellOf(f), bind(f, fn), opts)
	default:
		e := newErrand(fn)
		f = e.task.Future()
		behind, err = e.give(ctx, wait, p, opts)
	}
	if err != nil {
		return nil, nil, err
	}
	return f, behind, nil
}

// cellOf returns the part of f that does not depend on the type of its value.
func cellOf[V any](f *future.Future[V]) *cell.Cell { return (*cell.Core[V])(f).Cell() }

// bind returns fn as a body that stores its value in f.
func bind[V any](f *future.Future[V], fn future.Func[V]) Task { return (*cell.Core[V])(f).Bind(fn) }

func (p *Pool) base() *Pool     { return p }
func (p *Pool) self() Submitter { return p }

func (p *Pool) submit(
	ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption,
) error {
	return p.submitTo(ctx, wait, nil, c, task, opts)
}

// submitTo submits a task with a future, to a lane if there is one.
func (p *Pool) submitTo(
	ctx context.Context, wait bool, l *engine.Lane, c *cell.Cell, task Task, opts []TaskOption,
) error {
	s := engine.Submission{Cell: c, Task: task, Lane: l}
	if len(opts) > 0 || task == nil {
		if err := p.resolve(&s, opts); err != nil {
			return err
		}
	}
	return (*engine.Pool)(p).Door.Submit(ctx, wait, s)
}

// resolve completes a submission: it checks the task, and evaluates its options, if there are any.
func (p *Pool) resolve(s *engine.Submission, opts []TaskOption) error {
	switch {
	case s.Task == nil:
		return p.misused(opts, ErrNilTask)
	case len(opts) == 0: // the engine has the defaults
		return nil
	}
	o, err := run.Resolve(&p.runs().Settings, opts)
	if err != nil {
		return p.misused(opts, err)
	}
	s.Options = &o
	return nil
}
