package cell

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/goid"
)

// ErrSelfWait is what a run gets that would wait for itself.
var ErrSelfWait = errors.New("future: a task waits for its own end")

// Wait returns nil once the cell is settled, or an error when ctx ends first: that of ctx and, if
// it is another, its cause. A settled cell wins over an ended ctx. A nil ctx never ends. Whoever
// would wait for itself gets ErrSelfWait at once; see [Cell.SelfWait].
func (c *Cell) Wait(ctx context.Context) error {
	if c.Phase().Settled() {
		return nil
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if c.SelfWait(ctx) {
		return ErrSelfWait
	}
	end := ctx.Done() // asked before the host knows of the wait: the method may be the user's
	select {
	case <-end: // there is nothing to lend a place for
	default:
		c.waitFor(ctx, c.Done(), end)
	}
	if c.Phase().Settled() {
		return nil
	}
	return EndOf(ctx)
}

// waitFor is a wait of which the host knows. When it returns the host knows that it is over.
func (c *Cell) waitFor(ctx context.Context, done, end <-chan struct{}) {
	defer c.await(ctx)()
	select {
	case <-done:
	case <-end:
	}
}

// WaitFor is Wait for at most d. When that is over it returns nil, too: the phase tells.
func (c *Cell) WaitFor(d time.Duration) error {
	if d <= 0 || c.Phase().Settled() {
		return nil
	}
	if c.SelfWait(context.Background()) {
		return ErrSelfWait
	}
	limit := time.NewTimer(d)
	defer limit.Stop()
	done := c.Done()
	defer c.await(context.Background())()
	select {
	case <-done:
	case <-limit.C:
	}
	return nil
}

// StopsAfterCaller reports whether the cell cannot stop before the calling goroutine goes on: that is in the
// run of the cell, or in one that the cell comes after.
func (c *Cell) StopsAfterCaller() bool { return !stopped(c.state.Load()) && c.inOwnRun() }

// await tells the host of a cell that the caller is about to wait for it, and returns what to call
// after the wait.
func (c *Cell) await(ctx context.Context) (over func()) {
	if c.Plan != nil && c.Plan.Host != nil {
		if over := c.Plan.Host.Await(ctx, c); over != nil {
			return over
		}
	}
	return func() {}
}

// SelfWait reports whether to wait with ctx for the cell to be settled is to wait in vain, for oneself:
// the calling goroutine is in the run of the cell, or in one that the cell comes after; or ctx is
// sure to end with such a run.
func (c *Cell) SelfWait(ctx context.Context) bool {
	if c.Phase().Settled() {
		return false
	}
	return c.inOwnRun() || EndsWith(ctx, func(run *Cell) bool { return run == c || c.behind(run) })
}

// SelfWaitStopped is SelfWait for [Cell.WaitStopped].
func (c *Cell) SelfWaitStopped() bool { return !stopped(c.state.Load()) && c.inOwnRun() }

func (c *Cell) inOwnRun() bool {
	if c.Plan != nil && c.Plan.Host != nil {
		return c.Plan.Host.SelfWait(c)
	}
	return c.runner() == goid.Current()
}

// behind reports whether c does not begin before the run has ended.
func (c *Cell) behind(run *Cell) bool {
	return run.Plan != nil && c.Plan != nil && c.Plan.Host != nil && run.Plan.Host == c.Plan.Host &&
		c.Plan.Host.Behind(c, run)
}

// The goroutine of a run by hand, which has no host that would know, is kept where the sequence
// number of an executor's task is.
func (c *Cell) setRunner(goroutine uint64) { atomic.StoreUint64(&c.Order, goroutine) }
func (c *Cell) runner() uint64             { return atomic.LoadUint64(&c.Order) }

// errNotEnded is the error of a context that says by its channel that it has ended, and by its Err
// that it has not. That breaks the contract of context.Context.
var errNotEnded = Joined(context.Canceled, errors.New("its channel is closed, but Err returns nil"))

// ErrOf returns the error of an ended context. It is never nil.
func ErrOf(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errNotEnded
}

// EndOf is ErrOf with the cause of the context, if that is another.
func EndOf(ctx context.Context) error {
	err := ErrOf(ctx)
	if cause := context.Cause(ctx); cause != nil && !Matches(err, cause) {
		return Joined(err, cause)
	}
	return err
}

// HasEnded reports whether ctx has ended, by its error or, if that breaks the contract, its channel.
func HasEnded(ctx context.Context) bool {
	if ctx.Err() != nil {
		return true
	}
	select {
	case <-ctx.Done():
		return true
	default:
		return false
	}
}
