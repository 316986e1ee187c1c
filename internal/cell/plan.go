package cell

import (
	"context"
	"iter"
	"time"
)

// Plan is what the cells of one executor share, or what one cell with options has for itself.
type Plan struct {
	Host    Host
	Base    context.Context // parent of every run's context; nil means context.Background
	Given   context.Context // what the user made the host's base; Base derives from it
	Timeout time.Duration   // of each run; 0 means none
	Late    error           // the cause of a context that ends by Timeout
	Dropped error           // the error of a cell that the host drops

	Detail any // the host's own
}

// Host is an executor as seen by its cells. It is called without locks.
type Host interface {
	// Cancelled says that a caller has cancelled c: during a run, or while it was pending. It
	// returns a function to call once those who wait know, or nil.
	Cancelled(c *Cell, running bool) (tell func())
	// Expired says that the run in progress has exceeded the plan's Timeout. Its context has ended
	// already.
	Expired(c *Cell)
	// Subject names c and the executor for error texts, as far as they have names.
	Subject(c *Cell) string
	// Behind reports whether c cannot begin before run, of the same host, has ended.
	Behind(c, run *Cell) bool
	// SelfWait reports whether the calling goroutine is in a run of c, or in one that must end
	// before c can begin.
	SelfWait(c *Cell) bool
	// Await says that the caller is about to wait, with ctx, for c to be settled or to stop. It
	// returns a function to call after the wait, or nil.
	Await(ctx context.Context, c *Cell) (over func())
	// AwaitAny is Await for the first to be settled among those cells that belong to this host.
	AwaitAny(ctx context.Context, cs iter.Seq[*Cell]) (over func())
}

// Subject returns the names of the task and its executor, as far as they have any.
func (c *Cell) Subject() string {
	if c.Plan == nil || c.Plan.Host == nil {
		return ""
	}
	return c.Plan.Host.Subject(c)
}

func (p *Plan) base() context.Context {
	if p == nil || p.Base == nil {
		return context.Background()
	}
	return p.Base
}

// dismissed tells the host, if it wants to know, that a caller has cancelled what has failed.
func (p *Plan) dismissed(c *Cell) {
	if p == nil {
		return
	}
	if h, ok := p.Host.(interface{ Dismissed(*Cell) }); ok {
		h.Dismissed(c)
	}
}
