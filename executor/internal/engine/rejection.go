package engine

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Policy decides what becomes of a task for which a pool has no room. It is user code.
type Policy = func(r *Rejection) error

// Rejection is a task for which a pool has no room, in the hands of a policy. Package executor says
// what its methods promise.
type Rejection struct {
	pool *Pool
	cell *cell.Cell
	ctx  context.Context // of the submission

	decided bool // the task is accepted, or dropped
}

// reject lets the policy decide about c. A task of a serial executor is refused at once: most
// policies would run it out of turn, or drop others for it.
func (d *Door) reject(ctx context.Context, policy Policy, c *cell.Cell) error {
	if planOf(c).strand != nil {
		return ErrSaturated
	}
	r := &Rejection{pool: d.pool, cell: c, ctx: ctx}
	err := policy(r)
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

// Run has the caller run the task.
func (r *Rejection) Run() error {
	return r.place(func(c *cell.Cell) error { return r.pool.loans.runByCaller(r.ctx, r.ctx, c) })
}

// Block is Wait until the context of the submission ends.
func (r *Rejection) Block() error { return r.Wait(r.ctx) }

// Wait waits for room until ctx, which may be nil, ends.
func (r *Rejection) Wait(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	return r.place(func(c *cell.Cell) error { return r.pool.Door.waitForRoom(ctx, c) })
}

// Retry queues the task if there is room now.
func (r *Rejection) Retry() error { return r.place(r.pool.Door.tryAccept) }

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

// Discard drops the task.
func (r *Rejection) Discard() {
	if r.decided {
		return
	}
	r.decided = true
	p := r.pool
	p.mu.Lock()
	p.Door.acceptedLocked(r.cell, planOf(r.cell))
	p.runs.SettlesLocked()
	p.mu.Unlock()
	p.Life.drop(r.cell)
}

// ReplaceOldest queues the task in the room of the one that would run next.
func (r *Rejection) ReplaceOldest() error {
	return r.place(func(c *cell.Cell) error {
		var oldest *cell.Cell
		defer func() { // even if the user's WorkQueue panics
			if oldest != nil {
				r.pool.Life.drop(oldest)
			}
		}()
		return r.pool.Door.exchange(c, &oldest)
	})
}

// exchange queues c, if need be in the room of another task. It passes that out through oldest, not
// as a result, so that the caller can drop it even if the user's WorkQueue panics half-way.
func (d *Door) exchange(c *cell.Cell, oldest **cell.Cell) error {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	err := d.tryEnqueueLocked(c, d.pool.now())
	if err != ErrSaturated || !d.pool.plain || d.pool.waiting.queue.Len() == 0 {
		return err
	}
	// Never bare: only a queue with a limit rejects, and that holds cells.
	*oldest = d.pool.waiting.queue.Pop(unread).Cell
	d.pool.runs.SettlesLocked()
	if s := planOf(*oldest).strand; s != nil {
		d.pool.advanceLocked(s)
	}
	defer d.pool.Crew.notifyLocked(unread) // even if the user's WorkQueue panics: there is room then
	d.enqueueLocked(c)
	return nil
}

// drop settles a task that is not, or no longer, in the queue. The caller has called SettlesLocked,
// which keeps the pool from ending before that.
func (lf *Life) drop(c *cell.Cell) {
	err := future.CancelledError(lf.pool.Door.refusal(nameOf(c), ErrSaturated))
	d, dropped := lf.pool.runs.Discard(c, &planOf(c).Plan, err)
	c.Body = nil
	lf.pool.mu.Lock()
	lf.pool.Door.leaveLocked(c)
	var untold []run.Dropped
	if dropped {
		lf.pool.counts.returned++
		untold = append(untold, d)
	} else {
		lf.pool.counts.cancelled++ // by its future, at the same moment
		lf.pool.runs.FoundCancelledLocked(1)
	}
	lf.pool.mu.Unlock()
	lf.pool.runs.TellAll(untold)
}
