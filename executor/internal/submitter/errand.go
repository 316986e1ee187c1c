package submitter

import (
	"context"
	"errors"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

var (
	errNoFuture = errors.New("executor: Submit returned neither a future nor an error")
	errNotRun   = errors.New("executor: the task was not run")
)

// errand is a task with a result for a foreign Submitter, which knows only tasks without one. The
// body that the Submitter runs is the run of another task, which has the result.
//
// Where the Submitter tries again, see Retry, an attempt that fails leaves the other task
// pending: whether another follows, only the Submitter knows, and its future says how it has ended.
type errand[V any] struct {
	task     *future.Task[V]
	panicked atomic.Pointer[future.PanicError] // of fn, to be passed on; nil if it has returned

	// Of attempts, of which one follows another.
	attempt bool // fn is called by one
	over    bool // there is an outcome, and fn is not called again
	value   V
	err     error
}

// newErrand returns an errand for fn, which is to be given once.
func newErrand[V any](fn future.Func[V]) *errand[V] {
	e := new(errand[V])
	e.task = future.NewTask(func(ctx context.Context) (v V, err error) {
		if e.over {
			return e.value, e.err
		}
		returned := future.Invoke(ctx, func(ctx context.Context) (err error) {
			v, err = fn(ctx)
			return err
		}, &err)
		if p, ok := err.(*future.PanicError); ok && !returned {
			e.panicked.Store(p)
		}
		if e.attempt {
			e.value, e.err = v, err
			return v, nil // what it means is up to try
		}
		return v, err
	})
	return e
}

// run is what the Submitter runs. It passes a panic on, so that the Submitter can report it.
func (e *errand[V]) run(ctx context.Context) error {
	if isAttempt(ctx) {
		if err := e.try(ctx); err != nil {
			return err
		}
	} else {
		e.task.Run(ctx)
	}
	if p := e.panicked.Load(); p != nil {
		panic(p)
	}
	result, _ := e.task.Future().Poll()
	return result.Err
}

// try makes an attempt. It returns the error of one after which the task is pending again.
func (e *errand[V]) try(ctx context.Context) error {
	e.attempt = true
	if !e.task.RunAndReset(ctx) {
		return nil // it has been settled meanwhile, or fn has ended its goroutine
	}
	if e.panicked.Load() == nil {
		if e.err != nil {
			return e.err // which may say whether, and when, to try again
		}
		if cause := context.Cause(ctx); errors.Is(cause, future.ErrTimeout) {
			return cause // a value comes too late
		}
	}
	e.over = true
	e.task.Run(ctx)
	return nil
}

// isAttempt reports whether the run with this context is an attempt, which others may follow.
func isAttempt(ctx context.Context) bool {
	type timetable interface{ Describe(c *cell.Cell) run.Info }
	attempt := false
	cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false // run by hand, inside of a run of ours
		}
		h, ok := c.Plan.Host.(timetable)
		attempt = ok && h.Describe(c).Attempt > 0
		return ok
	})
	return attempt
}

// giveErrand submits an errand. It returns the Submitter's future. That and the errand's end alike:
// whichever is cancelled first, or fails without a run, makes the other do the same.
func giveErrand[V any, O run.TaskOption](
	ctx context.Context, wait bool, p Submitter[O], e *errand[V], opts []O,
) (behind *future.Future[struct{}], err error) {
	f := e.task.Future()
	if behind, err = GiveForeign(ctx, wait, p, e.run, opts); err != nil {
		return nil, err
	}
	CellOf(behind).PassOn(CellOf(f), func() {
		if f.State() == future.Pending {
			f.CancelCause(errNotRun) // it reports success, but has not called run
		}
	})
	future.AfterSettled(f, func(future.Result[V]) {
		if f.State() == future.Cancelled {
			behind.Stop() // the context has already ended if that was asked for
		}
	})
	return behind, nil
}

// GiveForeign gives a task to a foreign Submitter. That waits for room until ctx ends, if wait
// says so and it can. Whatever the Submitter makes of options, the task knows the values of ctx,
// unless an option names others.
func GiveForeign[O run.TaskOption](
	ctx context.Context, wait bool, p Submitter[O], task engine.Task, opts []O,
) (f *future.Future[struct{}], err error) {
	type patient interface {
		SubmitContext(context.Context, engine.Task, ...O) (*future.Future[struct{}], error)
	}
	if o, err := run.Resolve(new(run.Settings), opts); ctx != nil && err == nil && o.Values == nil {
		task = run.Carrying(ctx, task)
	}
	if s, ok := p.(patient); ok && wait {
		f, err = s.SubmitContext(ctx, task, opts...)
	} else {
		if ctx != nil && wait {
			if err := EndOf(ctx); err != nil {
				return nil, cell.Joined(engine.ErrRejected, err)
			}
		}
		f, err = p.Submit(task, opts...)
	}
	if f == nil && err == nil {
		err = errNoFuture
	}
	return f, err
}
