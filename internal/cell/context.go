package cell

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/goid"
)

// runContext is a Cell as the context of its run in progress. It costs nothing until it is asked
// for a signal. Then a context of the standard library is made behind it, which keeps the cause,
// and to which derived contexts attach without a goroutine.
//
// A context belongs to one run. A cell that runs once is itself the context of its run. One that
// runs again serves behind a [Token] for each run, as long as nobody asks for a signal. If somebody
// has asked, they may ask again after the run; so the next run gets a shadow of the cell, an object
// of its own. A run by hand has no token: a context of [future.Task.RunAndReset] that is first
// asked after its run cannot be told from that of the next run.
type runContext Cell

// runKey is the key under which the context of a run returns the run itself.
type runKey struct{}

// FromContext returns the cell whose run ctx belongs to, or nil. It may be a shadow; see
// [Cell.Main].
func FromContext(ctx context.Context) *Cell {
	return runOf(ctx).carrier
}

// Live reports whether the run whose context is c is in progress.
func (c *Cell) Live() bool { return c.state.Load()&live != 0 }

// Enter returns the context of the run that Begin has started. It derives from the base of the plan
// or, without a plan, from parent, which may be nil.
func (c *Cell) Enter(parent context.Context) context.Context {
	if c.Plan == nil { // there is no host that would know the goroutine of the run
		c.setRunner(goid.Current())
		if parent != nil {
			c.disown(parent)
		}
	}
	delay.At(delay.CellBegun)
	carrier := c
	if !c.state.wasSeen() {
		c.adopt(parent)
	}
	// Whoever asks from here on sees the parent. Somebody may have asked just before: they hold the
	// context of an earlier run. So look again, and leave the cell itself to them.
	if c.state.wasSeen() {
		carrier = c.shadow(parent)
		c.extend().handOver(carrier)
	}
	if c.Plan != nil && c.Plan.Timeout > 0 {
		carrier.open() // for its timer, which must run whether or not anybody asks
	}
	return (*runContext)(carrier)
}

// Exit ends the context of the run, after the body has returned and before Finish or Reset. It
// reports whether the run has exceeded the timeout of its plan.
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
	cancel(context.Canceled) // first: from here on the timeout cannot come any more
	return c.Plan.expired(ctx, deadline)
}

// Interrupt ends the context of the run in progress with cause. Of several causes the first stays.
// A cell that has been interrupted is not run again.
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

// end ends the context that c is with cause, if its run is in progress. A context that has already
// ended, with its parent, keeps that cause.
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

// parent returns the context from which the run whose context is c derives.
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

// open returns the standard context behind c, and makes it the first time. It marks the cell as
// seen before it makes anything, so that a run that begins now takes a shadow.
func (c *Cell) open() context.Context {
	c.state.Or(seen)
	e := c.extend()
	e.mu.Lock()
	ctx := e.ctx
	e.mu.Unlock()
	if ctx != nil {
		return ctx
	}
	// Without the lock, as deriving calls methods of the parent, which may be the user's.
	ctx, cancel, deadline := c.derive()
	e.mu.Lock()
	first := e.ctx == nil
	if first { // two may have derived one; only the first is used
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

// derive makes a standard context for one run.
func (c *Cell) derive() (ctx context.Context, cancel func(cause error), deadline time.Time) {
	if c.Plan != nil && c.Plan.Timeout > 0 {
		return c.Plan.timed(c.parent(), c)
	}
	ctx, end := context.WithCancelCause(c.parent())
	return ctx, end, deadline
}

// timed makes a standard context with the plan's timeout for one run of c. Its parent may end with
// the same cause, for a timeout of its own; so expired looks at the time as well.
func (p *Plan) timed(
	parent context.Context, c *Cell,
) (ctx context.Context, cancel func(cause error), deadline time.Time) {
	deadline = time.Now().Add(p.Timeout)
	// A context with a deadline cannot be cancelled with a cause; the one it derives from can.
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

// expired reports whether ctx has ended by the timeout of this plan.
func (p *Plan) expired(ctx context.Context, deadline time.Time) bool {
	return !deadline.IsZero() && context.Cause(ctx) == p.Late && !time.Now().Before(deadline)
}

// undisturbed reports whether the run goes on and nothing has been asked of its context so far, so
// that the base of the plan can answer for it.
func (r *runContext) undisturbed() bool {
	c := (*Cell)(r)
	return c.ext.Load() == nil && c.Live()
}

// Done implements context.Context.
func (r *runContext) Done() <-chan struct{} { return (*Cell)(r).open().Done() }

// Err implements context.Context. Most bodies only call Err, so the base answers as long as it can,
// and no context is made. The flag seen is set nevertheless: the caller may call Err again after
// the run.
func (r *runContext) Err() error {
	if c := (*Cell)(r); r.undisturbed() {
		if c.state.Load()&seen == 0 {
			c.state.Or(seen)
		}
		return c.Plan.base().Err()
	}
	return (*Cell)(r).open().Err()
}

// Deadline implements context.Context.
func (r *runContext) Deadline() (time.Time, bool) {
	if r.undisturbed() {
		return (*Cell)(r).Plan.base().Deadline()
	}
	return (*Cell)(r).open().Deadline()
}

// Value implements context.Context.
func (r *runContext) Value(key any) any {
	if key == (runKey{}) {
		return (*Cell)(r)
	}
	if r.undisturbed() {
		return (*Cell)(r).Plan.base().Value(key)
	}
	return (*Cell)(r).open().Value(key)
}

// AfterFunc is the method that package context looks for in a parent that it does not know.
func (r *runContext) AfterFunc(f func()) func() bool {
	return context.AfterFunc((*Cell)(r).open(), f)
}

// String keeps fmt from reading the fields, which change.
func (r *runContext) String() string { return "punctual.run" }
