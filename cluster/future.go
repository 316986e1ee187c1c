package cluster

import (
	"context"
	"fmt"
	"sync"
)

// Future is the outcome of a task that may run on any machine. It outlives the process: with its
// ID, [Attach] makes another. It is safe for concurrent use.
type Future[R any] struct {
	pool *Pool
	task *definition
	id   string
	own  *pending // nil for one that was attached

	mu    sync.Mutex
	known *outcome // of one that was attached, once it is known
}

// Attach makes a future of a task that was submitted before, perhaps by another process. Its id is
// what [Future.ID] told. t must be the task that was submitted. It asks nobody: a wrong ID, or one
// whose outcome is no longer kept, see [Keep], shows as a Get that waits until its context ends.
func Attach[P, R any](p *Pool, t Task[P, R], id string) *Future[R] {
	return &Future[R]{pool: p, task: t.definition, id: id}
}

// ID identifies the future in all processes: keep it to [Attach] later on. It is the [Run.ID] of
// the task as well.
func (f *Future[R]) ID() string { return f.id }

// Get waits until the task has an outcome, or ctx ends: that ends the waiting, not the task. It
// returns the result, or a *[TaskError], ErrCancelled, [ErrAbandoned], an error of ctx,
// [ErrClosed], an error of the task's codec, or, of a future of the process that has submitted the
// task, [ErrGone].
func (f *Future[R]) Get(ctx context.Context) (R, error) {
	var out R
	o, err := f.await(ctx)
	if err != nil {
		return out, err
	}
	if err := o.err(f.task.name, f.id); err != nil {
		return out, err
	}
	if err := f.task.codec.Unmarshal(o.data, &out); err != nil {
		return out, fmt.Errorf("cluster: the result of task %q (%s) is no %T: %w",
			f.task.name, f.id, out, err)
	}
	return out, nil
}

func (f *Future[R]) await(ctx context.Context) (outcome, error) {
	if f.own != nil {
		select {
		case <-f.own.done:
			return f.own.outcome, f.own.fault
		default:
		}
		select {
		case <-f.own.done:
			return f.own.outcome, f.own.fault
		case <-ctx.Done():
			return outcome{}, context.Cause(ctx)
		}
	}
	if !validID(f.id) {
		return outcome{}, f.badID()
	}
	f.mu.Lock()
	known := f.known
	f.mu.Unlock()
	if known != nil {
		return *known, nil
	}
	o, err := f.pool.results.attach(ctx, f.id)
	if err == nil {
		f.mu.Lock()
		f.known = &o
		f.mu.Unlock()
	}
	return o, err
}

func (f *Future[R]) badID() error { return badID(f.id) }

func badID(id string) error {
	return fmt.Errorf("%w: %.60q is not the ID of a task", ErrInvalid, id)
}
