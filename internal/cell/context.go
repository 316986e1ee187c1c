package cell

import (
	"context"
	"time"
)

// runContext is a Cell seen as the context of its run in progress. It costs nothing until it is
// asked for a signal: then a context of the standard library is made behind it, which keeps the
// cause, and to which derived contexts attach themselves without a goroutine.
//
// A context belongs to one run. A cell that runs again hands out itself once more only if nobody
// has asked the last one for a signal; if somebody has, who may ask on after the run, the next run
// gets a shadow of the cell, an object of its own. So a periodic task that does not look at its
// context pays nothing per run. A context first used after its run is not told from the next one.
type runContext Cell

type runKey struct{}

// FromContext returns the cell in whose run ctx was made, or nil. It may be a shadow; see Main.
func FromContext(ctx context.Context) *Cell {
	c, _ := ctx.Value(runKey{}).(*Cell)
	return c
}

// Main returns the cell that c stands in for, or c itself.
func (c *Cell) Main() *Cell {
	if e := c.ext.Load(); e != nil && e.main != nil {
		return e.main
	}
	return c
}

// Live reports whether the run whose context is c is still in progress.
func (c *Cell) Live() bool { return c.state.Load()&live != 0 }

// Enter returns the context of the run that Begin has started. It derives from that of the plan or,
// without a plan, from parent, which may be nil.
func (c *Cell) Enter(parent context.Context) context.Context {
	carrier := c
	if c.state.Load()&seen != 0 {
		carrier = c.shadow()
	}
	if c.Plan == nil {
		carrier.adopt(parent)
	} else if c.Plan.Timeout > 0 {
		carrier.open()
	}
	return (*runContext)(carrier)
}

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
	carrier.state.And(^uint32(live))
	e := carrier.ext.Load()
	if e == nil {
		return false
	}
	e.mu.Lock()
	ctx, cancel := e.ctx, e.cancel
	e.mu.Unlock()
	if cancel == nil {
		return false
	}
	late = c.Plan.expired(ctx)
	cancel(context.Canceled)
	return late
}

// Interrupt ends the context of the run in progress with cause. The first cause stays.
func (c *Cell) Interrupt(cause error) {
	e := c.extend()
	e.mu.Lock()
	if e.cause == nil {
		e.cause = cause
	}
	cancel, shadow := e.cancel, e.shadow
	e.mu.Unlock()
	if shadow != nil {
		shadow.Interrupt(cause)
	}
	if cancel != nil {
		cancel(cause)
	}
}

// shadow returns the object that is the context of this run in place of c.
func (c *Cell) shadow() *Cell {
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.shadow == nil || e.shadow.state.Load()&seen != 0 {
		s := &struct {
			Cell
			extension
		}{}
		s.Cell.Plan = c.Plan
		s.extension.main = c
		s.extension.cause = e.cause
		s.Cell.ext.Store(&s.extension)
		e.shadow = &s.Cell
	}
	e.shadow.state.Store(live)
	return e.shadow
}

// adopt makes parent the context that this run derives from.
func (c *Cell) adopt(parent context.Context) {
	if c.ext.Load() == nil && (parent == nil || parent == context.Background()) {
		return
	}
	e := c.extend()
	e.mu.Lock()
	e.parent = parent
	e.mu.Unlock()
}

// open makes the standard context behind c, once.
func (c *Cell) open() context.Context {
	c.state.Or(seen)
	e := c.extend()
	e.mu.Lock()
	ctx, parent := e.ctx, e.parent
	e.mu.Unlock()
	if ctx != nil {
		return ctx
	}
	if parent == nil {
		parent = c.Plan.base()
	}
	ctx, cancel := c.Plan.derive(parent, c)
	e.mu.Lock()
	first := e.ctx == nil
	if first {
		e.ctx, e.cancel = ctx, cancel
	}
	cause, isLive := e.cause, c.Live()
	opened := e.ctx
	e.mu.Unlock()
	switch {
	case !first:
		cancel(context.Canceled) // another caller was quicker
	case cause != nil:
		cancel(cause)
	case !isLive:
		cancel(context.Canceled)
	}
	return opened
}

// derive makes the context of one run of c.
func (p *Plan) derive(parent context.Context, c *Cell) (context.Context, func(cause error)) {
	ctx, cancel := context.WithCancelCause(parent)
	if p == nil || p.Timeout <= 0 {
		return ctx, cancel
	}
	timed, release := context.WithTimeoutCause(ctx, p.Timeout, p.Late)
	unwatch := context.AfterFunc(timed, func() {
		if p.expired(timed) {
			p.Host.Expired(c.Main())
		}
	})
	return timed, func(cause error) {
		unwatch()
		cancel(cause)
		release()
	}
}

func (p *Plan) expired(ctx context.Context) bool {
	return p != nil && p.Timeout > 0 && context.Cause(ctx) == p.Late
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
