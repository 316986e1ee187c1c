package cell

import (
	"context"
	"errors"
	"fmt"
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
	select {
	case <-c.Done():
		return nil
	case <-ctx.Done():
	}
	if c.Phase().Settled() {
		return nil
	}
	return EndOf(ctx)
}

// EndOf returns the error of an ended context, with its cause if that is another.
func EndOf(ctx context.Context) error {
	if cause := context.Cause(ctx); !errors.Is(ctx.Err(), cause) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// SelfWait reports whether to wait with ctx for the cell to be settled is to wait for oneself.
func (c *Cell) SelfWait(ctx context.Context) bool {
	return !c.Phase().Settled() && Within(ctx, func(run *Cell) bool { return run == c })
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
