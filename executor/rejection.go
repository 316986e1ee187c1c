package executor

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// RejectionPolicy decides what becomes of a task that a pool has no room for. It is called by the
// submitter, without locks, and may call the pool. What it returns the submission returns, unless it
// has found a place for the task, or discarded it: then that is nil. A policy that returns nil without
// having done anything has discarded the task; one that panics has refused it, and the panic is the
// submitter's. The policies are [Abort], which is the default, [CallerRuns], [Discard],
// [DiscardOldest] and [Block]; one's own is made of the same methods of [Rejection].
//
// A pool that is shut down asks no policy: it refuses with [ErrShutdown]. Nor does
// [ScheduledPool.Schedule] and its kin, or a [Serial]: they refuse with [ErrSaturated]. SubmitContext
// waits, whatever the policy.
type RejectionPolicy func(r *Rejection) error

// OnRejection sets the policy of a pool; [Abort] by default. It panics if policy is nil.
func OnRejection(policy RejectionPolicy) Option {
	if policy == nil {
		panic("executor: nil rejection policy")
	}
	return option(func(s *settings) { s.setPolicy(policy) })
}

// SetRejectionPolicy changes the policy, from the next rejection on. It fails with [ErrInvalid] if
// policy is nil.
func (p *Pool) SetRejectionPolicy(policy RejectionPolicy) error {
	if policy == nil {
		return invalid("nil rejection policy")
	}
	p.setPolicy(policy)
	return nil
}

// Abort refuses the task with [ErrSaturated].
func Abort(*Rejection) error { return ErrSaturated }

// CallerRuns has the submitter run the task itself, which also keeps it from submitting more; see
// [Rejection.Run].
func CallerRuns(r *Rejection) error { return r.Run() }

// Discard drops the task. Its future is cancelled, for the reason [ErrSaturated].
func Discard(r *Rejection) error {
	r.Discard()
	return nil
}

// DiscardOldest drops the task that would run next, and queues the new one. If none waits, it refuses
// with [ErrSaturated]; see [Rejection.ReplaceOldest].
func DiscardOldest(r *Rejection) error { return r.ReplaceOldest() }

// Block has the submitter wait for room, as long as it takes, or until the context ends that was given
// to [InvokeAll] and the like; a shutdown ends the wait with [ErrShutdown]. To wait for a limited time use
// SubmitContext.
func Block(r *Rejection) error { return r.Wait(r.ctx) }

// Rejection is a task that a pool has no room for. It must not be used after its policy has returned.
type Rejection struct {
	pool *Pool
	cell *cell.Cell
	ctx  context.Context // of the submission

	decided bool // the task is accepted, or dropped
}

// reject has the policy decide about c.
func (p *Pool) reject(ctx context.Context, policy RejectionPolicy, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated
	}
	r := &Rejection{pool: p, cell: c, ctx: ctx}
	panicked := true
	defer func() {
		if panicked && !r.decided {
			_ = p.refuse(c, nil)
		}
	}()
	err := policy(r)
	panicked = false
	if r.decided {
		return nil
	}
	if err == nil {
		r.Discard()
	}
	return err
}

// Name returns the name of the task.
func (r *Rejection) Name() string { return planOf(r.cell).Name }

// Run runs the task in the calling goroutine, with its own context, hooks and counts, and returns when it
// has ended; or it returns [ErrShutdown]. If the caller is itself a task of this pool, the task runs
// inside of that, up to a depth of 1,000. What is deeper waits in the queue, beyond its capacity, for
// a worker or for the caller when that has ended, so that a task may submit itself for ever. A task
// that calls runtime.Goexit ends the caller.
func (r *Rejection) Run() error {
	return r.place(func(c *cell.Cell) error { return r.pool.runByCaller(r.ctx, c) })
}

// Wait waits for room, and queues the task. It returns an error that matches [ErrSaturated] and that
// of ctx if ctx ends first, or [ErrShutdown]. A task of the same pool does not wait: it does as Run. A
// goroutine of such a task waits, and if ctx is that of the task, room is made for it after 10 ms, by
// running what is queued beyond the size of the pool. A nil ctx never ends.
func (r *Rejection) Wait(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return r.place(func(c *cell.Cell) error { return r.pool.waitForRoom(ctx, c) })
}

// Retry queues the task if there is room now. It returns [ErrSaturated] or [ErrShutdown] if not.
func (r *Rejection) Retry() error {
	return r.place(r.pool.tryAccept)
}

// place does what makes the task the pool's, unless that has been decided.
func (r *Rejection) place(how func(c *cell.Cell) error) error {
	if r.decided {
		return nil
	}
	r.decided = true // also if the task ends the goroutine
	defer func() {
		if v := recover(); v != nil { // of a queue of the user's own
			r.decided = false
			panic(v)
		}
	}()
	err := how(r.cell)
	r.decided = err == nil
	return err
}

// Discard drops the task: it counts as accepted and returned, and its future is cancelled, for the
// reason [ErrSaturated].
func (r *Rejection) Discard() {
	if r.decided {
		return
	}
	r.decided = true
	p := r.pool
	p.mu.Lock()
	p.counts.accepted++
	p.runs.Settling++
	p.mu.Unlock()
	p.drop(r.cell)
}

// ReplaceOldest queues the task in the room of the one that would run next, which is dropped: its future
// is cancelled, for the reason [ErrSaturated]. It returns ErrSaturated if no task waits in the queue, and
// on a [ScheduledPool], or [ErrShutdown]. If there is room meanwhile, it drops nothing.
func (r *Rejection) ReplaceOldest() error {
	return r.place(func(c *cell.Cell) error {
		var oldest *cell.Cell
		defer func() { // also if a queue of the user's own panics
			if oldest != nil {
				r.pool.drop(oldest)
			}
		}()
		return r.pool.exchange(c, &oldest)
	})
}

// exchange queues c, if need be in the room of another task, which the caller has to drop.
func (p *Pool) exchange(c *cell.Cell, oldest **cell.Cell) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.tryEnqueueLocked(c, p.now()); err != ErrSaturated || !p.plain || p.queue.Len() == 0 {
		return err
	}
	*oldest = p.queue.Pop(unread).Cell // a queue without bounds rejects nothing, so there is a cell
	p.runs.Settling++
	if s := planOf(*oldest).strand; s != nil {
		p.advanceLocked(s)
	}
	defer p.notifyLocked(unread) // also if a queue of the user's own panics: there is room then
	p.enqueueLocked(c)
	return nil
}

// drop settles a task that is not in the queue, or not any more, for which settling has been raised.
func (p *Pool) drop(c *cell.Cell) {
	dropped := c.Discard(future.CancelledError(p.refusal(nameOf(c), ErrSaturated)))
	c.Body = nil
	p.mu.Lock()
	p.runs.Settling--
	if dropped {
		p.counts.returned++
	} else {
		p.counts.cancelled++ // at the same time
	}
	ended := p.emptiedLocked()
	p.mu.Unlock()
	p.finish(ended)
}
