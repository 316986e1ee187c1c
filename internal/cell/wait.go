package cell

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/goid"
)

// ErrSelfWait is returned to a run that would wait for itself.
var ErrSelfWait = errors.New("future: a task waits for its own end")

// Wait waits until the cell is settled and returns nil; or until ctx ends, and returns the error of
// ctx joined with its cause if that is another error. If both have happened, it returns nil. A nil
// ctx never ends. A caller who would wait for itself gets ErrSelfWait at once; see [Cell.SelfWait].
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
	// Called before the host knows of the wait, as the method may be the user's.
	end := ctx.Done()
	select {
	case <-end: // no wait, so nothing to tell the host
	default:
		c.waitFor(ctx, c.Done(), end)
	}
	if c.Phase().Settled() {
		return nil
	}
	return EndOf(ctx)
}

// waitFor waits with the host's knowledge. When it returns, the host knows that the wait is over.
func (c *Cell) waitFor(ctx context.Context, done, end <-chan struct{}) {
	defer c.await(ctx)()
	if end == nil {
		<-done
		return
	}
	select {
	case <-done:
	case <-end:
	}
}

// WaitFor is Wait for at most d. It returns nil in either case: the phase tells whether the cell is
// settled. It does not wait if d is zero or negative.
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

// StopsAfterCaller reports whether the cell cannot stop before the calling goroutine goes on,
// because that is in a run of the cell, or in one that must end before the cell can begin.
func (c *Cell) StopsAfterCaller() bool { return !stopped(c.state.Load()) && c.inOwnRun() }

// await tells the host of a cell that the caller is about to wait, and returns what to call after
// the wait.
func (c *Cell) await(ctx context.Context) (over func()) {
	if c.Plan != nil && c.Plan.Host != nil {
		if over := c.Plan.Host.Await(ctx, c); over != nil {
			return over
		}
	}
	return func() {}
}

// SelfWait reports whether to wait with ctx for the cell to be settled would be in vain: the
// calling goroutine is in a run of the cell, or in one that must end before the cell can begin; or
// ctx is certain to end only with such a run.
func (c *Cell) SelfWait(ctx context.Context) bool {
	if c.Phase().Settled() {
		return false
	}
	return c.inOwnRun() || EndsWith(ctx, func(run *Cell) bool {
		return run == c || c.Plan.behind(c, run)
	})
}

// inOwnRun reports whether the calling goroutine is in a run of c. The host knows, and also of runs
// that must end before c can begin; for a task run by hand the cell itself knows.
func (c *Cell) inOwnRun() bool {
	if c.Plan != nil && c.Plan.Host != nil {
		return c.Plan.Host.SelfWait(c)
	}
	return c.runner() == goid.Current()
}

// behind reports whether c, whose plan p is, cannot begin before the run has ended.
func (p *Plan) behind(c, run *Cell) bool {
	return p != nil && run.Plan != nil && p.Host != nil && run.Plan.Host == p.Host &&
		p.Host.Behind(c, run)
}

// A run by hand has no host that would know its goroutine. The cell keeps it in the field that
// holds the sequence number of an executor's task.
func (c *Cell) setRunner(goroutine uint64) { atomic.StoreUint64(&c.Order, goroutine) }
func (c *Cell) runner() uint64             { return atomic.LoadUint64(&c.Order) }

// errNotEnded stands for the missing error of a context that breaks the contract of
// context.Context: its channel says that it has ended, and its Err says that it has not.
var errNotEnded = Joined(context.Canceled, errors.New("its channel is closed, but Err returns nil"))

// ErrOf returns the error of an ended context. It is never nil.
func ErrOf(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return errNotEnded
}

// EndOf returns ErrOf joined with the cause of the context, if that is another error.
func EndOf(ctx context.Context) error {
	err := ErrOf(ctx)
	if cause := context.Cause(ctx); cause != nil && !Matches(err, cause) {
		return Joined(err, cause)
	}
	return err
}

// HasEnded reports whether ctx has ended: by its error or, should that break the contract, by its
// channel.
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
