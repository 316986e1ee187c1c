package cell

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/delay"
)

// extension holds what few cells need: the channels of those who wait, an error, and the context of
// a run that was asked for one. It is made on first need and stays.
//
// Its lock is a leaf: nothing is called under it. Of two, the lock of a cell comes before that of
// its shadow.
type extension struct {
	mu sync.Mutex

	done     chan struct{} // closed once settled; nil until somebody asks for it
	stopped  chan struct{} // closed once settled and no body is in progress; likewise
	watchers Watchers      // to be called once settled
	err      error         // of the outcome; nil for success and for a plain cancellation

	// These are about the context of the run in progress; see context.go.
	parent   context.Context // of a run by hand
	ctx      context.Context
	cancel   func(cause error)
	deadline time.Time // of the plan's timeout
	cause    error     // of the first interrupt, for a shadow that is made later
	shadow   *Cell     // the context of this run in place of the cell
	main     *Cell     // in a shadow: the cell whose place it takes
}

// closed is shared, so it belongs to no testing/synctest bubble. That does no harm: nobody ever
// blocks on it.
var closed = func() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}()

// extend returns the extension, and makes it the first time.
func (c *Cell) extend() *extension {
	if e := c.ext.Load(); e != nil {
		return e
	}
	c.ext.CompareAndSwap(nil, new(extension))
	return c.ext.Load()
}

// opened reports whether the run in progress has a standard context. Without an extension it has none.
func (e *extension) opened() bool {
	if e == nil {
		return false
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ctx != nil
}

// Err returns the error of a settled cell: nil for success and for a plain cancellation.
func (c *Cell) Err() error {
	if c.state.Load()&gone != 0 {
		return c.Plan.Dropped
	}
	e := c.ext.Load()
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.err
}

// Done returns a channel that is closed once the cell is settled.
func (c *Cell) Done() <-chan struct{} {
	return c.signal(func(e *extension) *chan struct{} { return &e.done }, settled)
}

// Stopped returns a channel that is closed once the cell is settled and no body is in progress.
func (c *Cell) Stopped() <-chan struct{} {
	return c.signal(func(e *extension) *chan struct{} { return &e.stopped }, stopped)
}

// HasStopped reports whether the cell is settled and no body is in progress.
func (c *Cell) HasStopped() bool { return stopped(c.state.Load()) }

func settled(s uint32) bool { return phaseOf(s).Settled() }
func stopped(s uint32) bool { return settled(s) && s&body == 0 }

// signal returns the channel that field picks, and makes it if the condition does not hold yet. The
// extension is published before the state is read here; wake reads the extension after the state is
// written. So either the condition is seen here, or the channel is seen there.
func (c *Cell) signal(
	field func(*extension) *chan struct{}, holds func(uint32) bool,
) <-chan struct{} {
	e := c.extend()
	delay.At(delay.WaiterComes)
	e.mu.Lock()
	defer e.mu.Unlock()
	ch := field(e)
	switch {
	case *ch != nil:
	case holds(c.state.Load()):
		*ch = closed
	default:
		*ch = make(chan struct{})
	}
	return *ch
}

// Wake tells those who wait, and those who watch, what the state word says now. No lock may be
// held.
func (c *Cell) Wake() {
	if c.ext.Load() != nil {
		c.Release().Notify()
	}
}

// Release tells those who wait what the state word says now. It returns those who watch: the caller
// notifies them, without a lock.
func (c *Cell) Release() (called Watchers) {
	e := c.ext.Load()
	if e == nil {
		return called
	}
	e.mu.Lock()
	s := c.state.Load()
	if settled(s) {
		closeOnce(e.done)
		called = e.watchers.take()
	}
	if stopped(s) {
		closeOnce(e.stopped)
	}
	e.mu.Unlock()
	return called
}

// closeOnce closes the channel unless it is nil or closed already.
func closeOnce(ch chan struct{}) {
	if ch == nil {
		return
	}
	select {
	case <-ch:
	default:
		close(ch)
	}
}
