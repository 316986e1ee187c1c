package debounce

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Flush has the run begin at once that calls wait for, and waits until it has ended, with its
// attempts; if no call waits, it waits for the run in progress. So after it, a run has begun and
// ended for each Call before it. It returns the error of that run, and nil at once if there is
// nothing to wait for, even if the last run had failed.
//
// If ctx ends first, Flush returns its error, and the run goes on. A nil ctx never ends. If the
// pool ends, or calls are dropped, Flush returns what [Debouncer.Call] returns after that, or
// [future.ErrCancelled]. A task that is paused, see [executor.Handle.Pause], does not run for Flush.
//
// A run that flushes its own debouncer would wait for itself, and gets [future.ErrSelfWait]; ctx
// has to be its context, or one derived from that. Another task of the same pool keeps its worker
// while it waits here, so the pool needs one more.
func (d *Debouncer) Flush(ctx context.Context) error {
	if ctx == nil {
		ctx = context.Background()
	}
	t, done, err := d.flush(ctx)
	if t == nil || err != nil {
		return err
	}
	select {
	case <-done:
		return t.err
	case <-d.task.Done():
		return d.cutOff(t)
	case <-ctx.Done():
		return errOf(ctx)
	}
}

// errOf is the error of a context that has ended, with its cause if that is another.
func errOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return fmt.Errorf("%w: %w", err, cause)
}

// flush returns what to wait for, or nil if there is nothing.
func (d *Debouncer) flush(ctx context.Context) (t *turn, done <-chan struct{}, err error) {
	own := false
	if h, ok := executor.HandleFrom(ctx); ok {
		own = h == d.task.Handle
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	t = d.now
	if d.next != nil {
		t = d.next
		if !t.flushed && !d.task.Reset(0) {
			return nil, nil, d.over()
		}
		t.flushed = true
	}
	switch {
	case t == nil:
		return nil, nil, nil
	case own:
		return nil, nil, future.ErrSelfWait
	}
	return t, t.await(), nil
}

// cutOff is the error of a turn at which the task has ended: by its run, if that was the last that
// it may have, or by somebody.
func (d *Debouncer) cutOff(t *turn) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-t.done: // just before
		return t.err
	default:
	}
	if r, _ := d.task.Poll(); t.begun && r.Err == nil {
		return nil
	}
	return d.over()
}

// Close flushes the debouncer, and ends it: from the first call of Close on, Call returns
// [ErrClosed]. It returns what [Debouncer.Flush] returns; if that is the error of ctx, what had not
// begun is dropped, and a run in progress goes on. Further calls of Close wait as well. To end
// without a last run, call [Debouncer.Drop] before.
//
// Close the debouncer before its pool: the end of the pool drops what has not begun.
func (d *Debouncer) Close(ctx context.Context) error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	err := d.Flush(ctx)
	d.task.Stop()
	return err
}
