package cell

import (
	"context"
	"errors"
	"time"
)

// ErrSelfWait is what a run gets that would wait for itself.
var ErrSelfWait = errors.New("future: a task waits for its own end")

// Wait returns nil once the cell is settled, or an error when ctx ends first: that of ctx and, if
// it is another, its cause. A settled cell wins over an ended ctx. A nil ctx never ends. If ctx is
// that of the cell's own run, or derived from it, Wait returns ErrSelfWait at once.
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
	if err := c.wait(ctx, nil); err != nil {
		return err
	}
	if c.Phase().Settled() {
		return nil
	}
	return EndOf(ctx)
}

// WaitFor is Wait for at most d. When that is over it returns nil, too: the phase tells.
func (c *Cell) WaitFor(d time.Duration) error {
	if d <= 0 || c.Phase().Settled() {
		return nil
	}
	limit := time.NewTimer(d)
	defer limit.Stop()
	return c.wait(context.Background(), limit.C)
}

// Patience is how long a wait goes on before the host makes sure who it is that waits.
const Patience = 10 * time.Millisecond

// wait returns once the cell is settled, ctx ends, or limit delivers.
func (c *Cell) wait(ctx context.Context, limit <-chan time.Time) error {
	over, ask, err := c.Await(ctx, false)
	if ask {
		if c.waitUntil(ctx, limit, true) {
			return nil
		}
		over, _, err = c.Await(ctx, true)
	}
	if over != nil {
		defer over()
	}
	if err == nil {
		c.waitUntil(ctx, limit, false)
	}
	return err
}

// waitUntil is wait that returns false if patience has limits, and is over first.
func (c *Cell) waitUntil(ctx context.Context, limit <-chan time.Time, patient bool) bool {
	var patience <-chan time.Time
	if patient {
		t := time.NewTimer(Patience)
		defer t.Stop()
		patience = t.C
	}
	select {
	case <-c.Done():
	case <-ctx.Done():
	case <-limit:
	case <-patience:
		return false
	}
	return true
}

// Await tells the host of a cell that the caller is about to wait for it; see [Host].
func (c *Cell) Await(ctx context.Context, sure bool) (over func(), ask bool, err error) {
	if c.Plan == nil || c.Plan.Host == nil || c.Phase().Settled() {
		return nil, false, nil
	}
	return c.Plan.Host.Await(ctx, c, sure)
}

// EndOf returns the error of an ended context, with its cause if that is another.
func EndOf(ctx context.Context) error {
	if cause := context.Cause(ctx); !Matches(ctx.Err(), cause) {
		return Joined(ctx.Err(), cause)
	}
	return ctx.Err()
}

// SelfWait reports whether to wait with ctx for the cell to be settled is to wait for oneself, or for
// what comes after oneself.
func (c *Cell) SelfWait(ctx context.Context) bool {
	return !c.Phase().Settled() && Within(ctx, func(run *Cell) bool { return run == c || c.behind(run) })
}

// behind reports whether c does not begin before the run has ended.
func (c *Cell) behind(run *Cell) bool {
	return run.Plan != nil && c.Plan != nil && c.Plan.Host != nil && run.Plan.Host == c.Plan.Host &&
		c.Plan.Host.Behind(c, run)
}

// Within reports whether ctx is that of a run in progress whose cell is accepted by match, or of a
// run inside such a one. As such a context ends with the run, there is no point in waiting with it
// for anything that comes after.
func Within(ctx context.Context, match func(run *Cell) bool) bool {
	for c := FromContext(ctx); c != nil; c = FromContext(c.parent()) {
		if c.Live() && match(c.Main()) {
			return true
		}
	}
	return false
}
