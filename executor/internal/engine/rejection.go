package engine

import (
	"context"

	"github.com/punctual-go/punctual/internal/cell"
)

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
	r.pool.Door.discard(r.cell)
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
