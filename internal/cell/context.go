package cell

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/goid"
)

// runContext is a Cell seen as the context of its run in progress. It costs nothing until it is
// asked for a signal: then a context of the standard library is made behind it, which keeps the
// cause, and to which derived contexts attach themselves without a goroutine.
//
// A context belongs to one run. A cell that runs once is itself the context of that. One that runs
// again serves behind a [Token] for each run, as long as nobody asks for a signal; if somebody has,
// who may ask on after the run, the next run gets a shadow of the cell, an object of its own. A run
// by hand has no token: a context of [future.Task.RunAndReset] that is first asked after its run is
// not told from that of the next.
type runContext Cell

type runKey struct{}

// FromContext returns the cell in whose run ctx was made, or nil. It may be a shadow; see Main.
func FromContext(ctx context.Context) *Cell {
	return runOf(ctx).carrier
}

// Live reports whether the run whose context is c is still in progress.
func (c *Cell) Live() bool { return c.state.Load()&live != 0 }

// Enter returns the context of the run that Begin has started. It derives from that of the plan or,
// without a plan, from parent, which may be nil.
func (c *Cell) Enter(parent context.Context) context.Context {
	if c.Plan == nil {
		c.setRunner(goid.Current())
		if parent != nil {
			c.disown(parent)
		}
	}
	delay.At(delay.CellBegun)
	carrier := c
	if !c.wasSeen() {
		c.adopt(parent)
	}
	// Whoever asks from here on sees the parent.
	if c.wasSeen() {
		carrier = c.shadow(parent)
		c.handOver(carrier)
	}
	if c.Plan != nil && c.Plan.Timeout > 0 {
		carrier.open()
	}
	return (*runContext)(carrier)
}

func (c *Cell) wasSeen() bool { return c.state.Load()&seen != 0 }

// Exit ends the context of the run, after the body has returned and before Finish or Reset. It
// reports whether the run outlived the time-out of its plan.
func (c *Cell) Exit() (late bool) {
	carrier := c
	if e := c.ext.Load(); e != nil {
		e.mu.Lock()
		if e.shadow != nil {
			carrier = e.shadow
		}
		e.mu.Unlock()
	}
	if c.Plan == nil {
		c.setRunner(0)
	}
	carrier.state.And(^uint32(live))
	e := carrier.ext.Load()
	if e == nil {
		return false
	}
	e.mu.Lock()
	ctx, cancel, deadline := e.ctx, e.cancel, e.deadline
	e.mu.Unlock()
	if cancel == nil {
		return false
	}
	cancel(context.Canceled) // first: from here on the time-out cannot come any more
	return c.Plan.expired(ctx, deadline)
}

// Interrupt ends the context of the run in progress with cause. The first cause stays. A cell that
// has been interrupted is not run again.
func (c *Cell) Interrupt(cause error) {
	e := c.extend()
	e.mu.Lock()
	if e.cause == nil {
		e.cause = cause
	}
	carrier := e.shadow
	e.mu.Unlock()
	if carrier == nil {
		carrier = c
	}
	carrier.end(cause)
}

// end ends the context that c is, if its run is in progress, with cause. What has ended before,
// with its parent, keeps the cause of that.
func (c *Cell) end(cause error) {
	if !c.Live() {
		return
	}
	c.open()
	e := c.extend()
	e.mu.Lock()
	cancel := e.cancel
	e.mu.Unlock()
	cancel(cause)
}

// parent returns the context that the run whose context is c derives from.
func (c *Cell) parent() context.Context {
	if e := c.ext.Load(); e != nil {
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.parent != nil {
			return e.parent
		}
	}
	return c.Plan.base()
}

// open makes the standard context behind c, once.
func (c *Cell) open() context.Context {
	c.state.Or(seen)
	e := c.extend()
	e.mu.Lock()
	ctx := e.ctx
	e.mu.Unlock()
	if ctx != nil {
		return ctx
	}
	ctx, cancel, deadline := c.derive()
	e.mu.Lock()
	first := e.ctx == nil
	if first {
		e.ctx, e.cancel, e.deadline = ctx, cancel, deadline
	}
	isLive := c.Live()
	opened := e.ctx
	e.mu.Unlock()
	if !first || !isLive { // another caller was quicker, or the run has ended
		cancel(context.Canceled)
	}
	return opened
}

// derive makes the context of one run.
func (c *Cell) derive() (ctx context.Context, cancel func(cause error), deadline time.Time) {
	if c.Plan != nil && c.Plan.Timeout > 0 {
		return c.Plan.timed(c.parent(), c)
	}
	ctx, end := context.WithCancelCause(c.parent())
	return ctx, end, deadline
}

// timed makes the context of one run of c with a time-out. A parent may end with the same cause, for
// a time-out of its own; that is not ours, so the time is looked at too.
func (p *Plan) timed(parent context.Context, c *Cell) (ctx context.Context, cancel func(cause error), deadline time.Time) {
	deadline = time.Now().Add(p.Timeout)
	inner, end := context.WithCancelCause(parent)
	ctx, release := context.WithDeadlineCause(inner, deadline, p.Late)
	unwatch := context.AfterFunc(ctx, func() {
		if p.expired(ctx, deadline) {
			p.Host.Expired(c.Main())
		}
	})
	return ctx, func(cause error) {
		unwatch()
		end(cause)
		release()
	}, deadline
}

func (p *Plan) expired(ctx context.Context, deadline time.Time) bool {
	return !deadline.IsZero() && context.Cause(ctx) == p.Late && !time.Now().Before(deadline)
}

// undisturbed reports that the run goes on and that nothing has been asked of its context so far,
// so that its base can answer for it.
func (r *runContext) undisturbed() bool {
	c := (*Cell)(r)
	return c.ext.Load() == nil && c.Live()
}

func (r *runContext) Done() <-chan struct{} { return (*Cell)(r).open().Done() }

func (r *runContext) Err() error {
	if c := (*Cell)(r); r.undisturbed() {
		if c.state.Load()&seen == 0 {
			c.state.Or(seen)
		}
		return c.Plan.base().Err()
	}
	return (*Cell)(r).open().Err()
}

func (r *runContext) Deadline() (time.Time, bool) {
	if r.undisturbed() {
		return (*Cell)(r).Plan.base().Deadline()
	}
	return (*Cell)(r).open().Deadline()
}

func (r *runContext) Value(key any) any {
	if key == (runKey{}) {
		return (*Cell)(r)
	}
	if r.undisturbed() {
		return (*Cell)(r).Plan.base().Value(key)
	}
	return (*Cell)(r).open().Value(key)
}

// AfterFunc is what package context looks for in a parent it does not know.
func (r *runContext) AfterFunc(f func()) func() bool {
	return context.AfterFunc((*Cell)(r).open(), f)
}

// String keeps fmt from reading the fields, which change.
func (r *runContext) String() string { return "punctual.run" }
