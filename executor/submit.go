package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
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
	if len(opts) > 0 {
		return p.executeWith(task, opts)
	}
	body, err := p.bodyOf(task)
	if err != nil {
		return err
	}
	switch {
	case p.general:
		return p.executeWith(task, nil)
	case p.inbox != nil && !p.runs.Watched:
		return p.post(runqueue.Slot{Body: body})
	}
	return p.accept(context.Background(), false, &cell.Cell{Plan: p.executed.Cells(), Body: body})
}

// executeWith is Execute with options, for which the task needs a plan of its own, and so a cell.
func (p *Pool) executeWith(task Task, opts []TaskOption) error {
	c := new(cell.Cell)
	if err := p.prepareExecuted(c, task, opts); err != nil {
		return err
	}
	return p.acceptWithin(c, 0, func() error { return p.accept(context.Background(), false, c) })
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
	if _, err := p.prepare(ctx, c, task, opts); err != nil {
		return err
	}
	return p.acceptWithin(c, 0, func() error { return p.accept(ctx, wait, c) })
}

// usual is prepare for the usual task: without options, or with a definition whose tasks share a
// plan, on a pool without decorators and observers. It reports false for any other, of which it has
// done nothing.
func (p *Pool) usual(c *cell.Cell, task Task, opts []TaskOption) bool {
	if len(p.decorate) > 0 || task == nil || p.general {
		return false
	}
	pl := p.submitted
	if len(opts) > 0 {
		d := p.definitionOf(opts)
		if d == nil || d.plan.twin == nil {
			return false
		}
		pl = d.plan
	}
	c.Plan, c.Body = pl.Cells(), task
	return true
}

// prepare validates a submission and gives c its body and plan. Unless an option says otherwise,
// the runs get the values of ctx. It runs decorators and methods of ctx, which are user code, so
// nothing of the pool has changed yet if one of them panics.
func (p *Pool) prepare(
	ctx context.Context, c *cell.Cell, task Task, opts []TaskOption,
) (*plan, error) {
	pl, body, err := p.plan(ctx, task, opts)
	if err != nil {
		return nil, p.misused(opts, err)
	}
	c.Plan, c.Body = pl.Cells(), body
	return pl, nil
}

// plan returns the plan and the body of a task.
func (p *Pool) plan(ctx context.Context, task Task, opts []TaskOption) (*plan, Task, error) {
	if task == nil {
		return nil, nil, ErrNilTask
	}
	pl, err := p.planFor(ctx, opts)
	if err != nil {
		return nil, nil, err
	}
	body, err := p.bodyOf(task)
	return pl, body, err
}

// planFor returns the plan of a task with these options, submitted with ctx.
func (p *Pool) planFor(ctx context.Context, opts []TaskOption) (*plan, error) {
	carried := p.runs.Carried(ctx)
	if len(opts) == 0 && carried == nil && p.shared.Defaults == nil {
		return p.submitted, nil
	}
	if d := p.definitionOf(opts); d != nil {
		return d.planOf(carried), nil
	}
	o, err := run.Resolve(&p.shared, opts)
	if err != nil {
		return nil, err
	}
	if o.Values == nil {
		o.Values = carried
	}
	return p.newPlan(o), nil
}

// prepareExecuted is prepare for a task without a future, whose failures are reported.
func (p *Pool) prepareExecuted(c *cell.Cell, task Task, opts []TaskOption) error {
	pl, err := p.prepare(context.Background(), c, task, opts)
	switch {
	case err != nil:
		return err
	case pl.twin != nil:
		c.Plan = pl.twin.Cells()
	default:
		pl.Reports = true
	}
	return nil
}

// bodyOf returns the decorated task, which is what the pool runs.
func (p *Pool) bodyOf(task Task) (Task, error) {
	for _, decorate := range p.decorate {
		if task != nil {
			task = decorate(task)
		}
	}
	if task == nil {
		return nil, ErrNilTask
	}
	return task, nil
}
