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
	if run := FromContext(ctx); run != nil && run.Main() == c && run.Live() {
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
	if cause := context.Cause(ctx); !errors.Is(cause, ctx.Err()) {
		return fmt.Errorf("%w: %w", ctx.Err(), cause)
	}
	return ctx.Err()
}

// Watcher is a call to be made once a cell is settled.
type Watcher struct {
	notify func()
	next   *Watcher
}

// Watch has notify called once, by whoever settles the cell, or here and now if it is settled
// already. No lock is held. Notify must return soon, and not wait.
func (c *Cell) Watch(notify func()) *Watcher {
	w := &Watcher{notify: notify}
	e := c.extend()
	e.mu.Lock()
	pending := !settled(c.state.Load())
	if pending {
		at := &e.watchers
		for *at != nil {
			at = &(*at).next
		}
		*at = w
	}
	e.mu.Unlock()
	if !pending {
		notify()
	}
	return w
}

// Unwatch takes back a Watch that is of no interest any more.
func (c *Cell) Unwatch(w *Watcher) {
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	for at := &e.watchers; *at != nil; at = &(*at).next {
		if *at == w {
			*at = w.next
			return
		}
	}
}
