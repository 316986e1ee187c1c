package cell

import (
	"context"
	"time"
)

// Plan is what the cells of one executor share, or what one cell with options has for itself.
type Plan struct {
	Host    Host
	Base    context.Context // parent of every run's context; nil means context.Background
	Timeout time.Duration   // of each run; 0 means none
	Late    error           // the cause of a context that ends by Timeout
	Dropped error           // the outcome of a cell that the host drops

	Detail any // the host's own
}

// Host is an executor, as its cells see it. It is called without locks.
type Host interface {
	// Cancelled says that a caller has cancelled c: during a run, or while it was pending.
	Cancelled(c *Cell, running bool)
	// Expired says that the run in progress has outlived the plan's Timeout. Its context has
	// ended already.
	Expired(c *Cell)
	// Await says that the caller is about to wait for c, not settled, with ctx. It returns what to call
	// after the wait, or nil; or an error instead of the wait. If it asks, the caller waits for
	// Patience, and calls again with sure set.
	Await(ctx context.Context, c *Cell, sure bool) (over func(), ask bool, err error)
	// Behind reports whether c does not begin before the run, of the same host, has ended.
	Behind(c, run *Cell) bool
	// AwaitAny is Await for the first of several to be settled. It does not ask.
	AwaitAny(ctx context.Context, cs []*Cell, sure bool) (over func(), err error)
}

func (p *Plan) base() context.Context {
	if p == nil || p.Base == nil {
		return context.Background()
	}
	return p.Base
}
