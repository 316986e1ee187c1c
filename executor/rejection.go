package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// RejectionPolicy decides what becomes of a task for which a pool has no room. The policies are
// [Abort], which is the default, [CallerRuns], [Discard], [DiscardOldest] and [Block]; others can
// be built from the methods of [Rejection].
//
// The policy is called on the submitter's goroutine, without locks, and may call the pool. If it
// places the task, or discards it, the submission returns nil. Otherwise the submission returns the
// policy's error; a nil error then means that the task is discarded. If the policy panics, the task
// is refused, and the submitter gets the panic.
//
// A pool that is shut down does not ask its policy: it refuses with [ErrShutdown]. Schedule and the
// methods like it, and a [Serial], do not ask either: they refuse with [ErrSaturated].
// SubmitContext waits, whatever the policy.
type RejectionPolicy func(r *Rejection) error

// OnRejection sets the rejection policy of a pool; the default is [Abort]. It panics if policy is
// nil.
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

// CallerRuns makes the submitter run the task itself, which also keeps it from submitting more in
// the meantime; see [Rejection.Run].
func CallerRuns(r *Rejection) error { return r.Run() }

// Discard drops the task. Its future is cancelled, with [ErrSaturated] as the reason.
func Discard(r *Rejection) error {
	r.Discard()
	return nil
}

// DiscardOldest drops the task that would run next, and queues the new one. If no task waits, it
// refuses with [ErrSaturated]; see [Rejection.ReplaceOldest].
func DiscardOldest(r *Rejection) error { return r.ReplaceOldest() }

// Block makes the submitter wait for room, however long it takes. The wait ends early with
// [ErrShutdown] if the pool is shut down, or when the context ends that was given to [InvokeAll]
// and functions like it. To wait for a limited time, use SubmitContext.
func Block(r *Rejection) error { return r.Wait(r.ctx) }

// Rejection is a task for which a pool has no room. Once one of its methods has placed or discarded
// the task, further calls do nothing and return nil. It must not be used after its policy has
// returned, nor by several goroutines at once.
type Rejection struct {
	pool *Pool
	cell *cell.Cell
	ctx  context.Context // of the submission

	decided bool // the task is accepted, or dropped
}

// reject lets the policy decide about c. A task of a serial executor is refused at once: most
// policies would run it out of turn, or drop others for it.
func (p *Pool) reject(ctx context.Context, policy RejectionPolicy, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated
	}
	r := &Rejection{pool: p, cell: c, ctx: ctx}
	err := policy(r)
	if r.decided {
		return nil
	}
	if err == nil {
		r.Discard()
	}
	return err
}

// Name returns the name of the task, or "" if it has none.
func (r *Rejection) Name() string { return planOf(r.cell).Name }

// Run runs the task on the calling goroutine, with its own context, hooks and counts, and returns
// when it has ended. If the pool is shut down, it returns [ErrShutdown] instead. A task that calls
// runtime.Goexit ends the caller.
//
// If the caller is itself a task of this pool, the new task runs inside it, to a depth of 1,000
// tasks. Below that depth it returns [ErrSaturated]: so a task that goes on submitting itself does
// not exhaust the stack.
func (r *Rejection) Run() error {
	return r.place(func(c *cell.Cell) error { return r.pool.runByCaller(r.ctx, r.ctx, c) })
}

// Wait waits for room and queues the task. If ctx ends first, it returns an error that matches
// [ErrSaturated] and the error of ctx; if the pool is shut down, [ErrShutdown]. A nil ctx never
// ends.
//
// If the caller is itself a task of this pool, Wait does not wait but does what [Rejection.Run]
// does. A goroutine started by such a task does wait; if ctx is the context of that task, room is
// made for it after 10 ms, by running queued tasks in excess of the pool's size.
func (r *Rejection) Wait(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return r.place(func(c *cell.Cell) error { return r.pool.waitForRoom(ctx, c) })
}

// Retry queues the task if there is room now. If not, it returns [ErrSaturated] or [ErrShutdown].
func (r *Rejection) Retry() error {
	return r.place(r.pool.tryAccept)
}

// place hands the task to the pool by the given means, unless it has been decided already.
func (r *Rejection) place(how func(c *cell.Cell) error) error {
	if r.decided {
		return nil
	}
	r.decided = true // set first, as a task that the caller runs may end the goroutine
	defer func() {
		if v := recover(); v != nil { // of a user's WorkQueue: nothing has been decided
			r.decided = false
			panic(v)
		}
	}()
	err := how(r.cell)
	r.decided = err == nil
	return err
}

// Discard drops the task. It counts as accepted and returned, and its future is cancelled, with
// [ErrSaturated] as the reason.
func (r *Rejection) Discard() {
	if r.decided {
		return
	}
	r.decided = true
	p := r.pool
	p.mu.Lock()
	p.acceptedLocked(r.cell, planOf(r.cell))
	p.runs.SettlesLocked()
	p.mu.Unlock()
	p.drop(r.cell)
}

// ReplaceOldest queues the task in the room of the one that would run next. That one is dropped:
// its future is cancelled, with [ErrSaturated] as the reason. If room has been found in the
// meantime, nothing is dropped. ReplaceOldest returns [ErrSaturated] if no task waits in the queue,
// and on a [ScheduledPool] that still has no room; it returns [ErrShutdown] if the pool is shut
// down.
func (r *Rejection) ReplaceOldest() error {
	return r.place(func(c *cell.Cell) error {
		var oldest *cell.Cell
		defer func() { // even if the user's WorkQueue panics
			if oldest != nil {
				r.pool.drop(oldest)
			}
		}()
		return r.pool.exchange(c, &oldest)
	})
}

// exchange queues c, if need be in the room of another task. It passes that out through oldest, not
// as a result, so that the caller can drop it even if the user's WorkQueue panics half-way.
func (p *Pool) exchange(c *cell.Cell, oldest **cell.Cell) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	err := p.tryEnqueueLocked(c, p.now())
	if err != ErrSaturated || !p.plain || p.queue.Len() == 0 {
		return err
	}
	// Never bare: only a queue with a limit rejects, and that holds cells.
	*oldest = p.queue.Pop(unread).Cell
	p.runs.SettlesLocked()
	if s := planOf(*oldest).strand; s != nil {
		p.advanceLocked(s)
	}
	defer p.notifyLocked(unread) // even if the user's WorkQueue panics: there is room then
	p.enqueueLocked(c)
	return nil
}

// drop settles a task that is not, or no longer, in the queue. The caller has called SettlesLocked,
// which keeps the pool from ending before that.
func (p *Pool) drop(c *cell.Cell) {
	err := future.CancelledError(p.refusal(nameOf(c), ErrSaturated))
	d, dropped := p.runs.Discard(c, &planOf(c).Plan, err)
	c.Body = nil
	p.mu.Lock()
	p.leaveLocked(c)
	var untold []run.Dropped
	if dropped {
		p.counts.returned++
		untold = append(untold, d)
	} else {
		p.counts.cancelled++ // by its future, at the same moment
		p.runs.FoundCancelledLocked(1)
	}
	p.mu.Unlock()
	p.runs.TellAll(untold)
}
