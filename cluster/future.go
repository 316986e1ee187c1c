package cluster

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Future is the outcome of a task that may run on any machine. It outlives the process: with its ID,
// [Attach] makes another. It is safe for concurrent use.
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

// ID identifies the future in all processes: keep it to [Attach] later on. It is the [Run.ID] of the
// task as well.
func (f *Future[R]) ID() string { return f.id }

// Get waits until the task has an outcome, or ctx ends: that ends the waiting, not the task. It
// returns the result, or a *[TaskError], ErrCancelled, [ErrAbandoned], an error of ctx, [ErrClosed],
// or an error of the task's codec.
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
		return outcome{}, fmt.Errorf("%w: %q is not the ID of a task", ErrInvalid, f.id)
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

// Cancel asks that the task be cancelled. prevented tells whether it is: then its outcome is
// [ErrCancelled], for everybody and for good. Otherwise it had one already. A task that waits is
// taken out. One that runs is told by its context, with the cause ErrCancelled; what it does until
// it returns, it has done, and what it returns is dropped. Cancel does not wait for it.
func (f *Future[R]) Cancel(ctx context.Context) (prevented bool, err error) {
	if !validID(f.id) {
		return false, fmt.Errorf("%w: %q is not the ID of a task", ErrInvalid, f.id)
	}
	if f.own != nil {
		select {
		case <-f.own.done: // known here, though perhaps not kept any more
			return false, f.own.fault
		default:
		}
	}
	prevented, err = f.pool.results.record(ctx, f.id, outcome{cancelled, []byte(nuid.Next())})
	if err != nil {
		return false, err
	}
	if !prevented {
		// Who has cancelled it may have died before it was taken out.
		o, ok, err := f.pool.results.recorded(ctx, f.id)
		if err != nil || !ok || o.kind != cancelled {
			return false, err
		}
	}
	return prevented, f.pool.remove(ctx, taskPlace(f.task.name, f.id))
}

// remove takes out a task that waits or runs, in one publish.
func (p *Pool) remove(ctx context.Context, at place) error {
	sequence, err := p.publish(ctx, p.tombstone(at))
	if err != nil {
		return err
	}
	return p.hint(at, sequence)
}

// tombstone takes out what waits at a place, in one entry of the stream's log: it rolls up a run that
// is queued and purges a schedule. Being the newest message, it makes what a running worker would
// store for the next run of a series come too late. A worker removes it.
func (p *Pool) tombstone(at place) *nats.Msg {
	m := nats.NewMsg(p.on.run(at))
	m.Header.Set(headerEnd, "1")
	m.Header.Set(jetstream.MsgRollup, jetstream.MsgRollupSubject)
	m.Header.Set(headerScheduler, p.on.arm(at))
	m.Header.Set(headerNext, "purge")
	return m
}

// hint tells who holds a run from before a tombstone that it is cancelled. It may get lost; then the
// run goes on to its end, and what it stores is refused.
func (p *Pool) hint(at place, tombstone uint64) error {
	if err := p.nc.Publish(p.on.hint(at), strconv.AppendUint(nil, tombstone, 10)); err != nil {
		return explained(err)
	}
	return nil
}
