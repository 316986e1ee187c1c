package cell

import "context"

// A shadow is a cell that exists only to be the context of one run of another cell, its main cell;
// or of several runs, if nobody asks it for a signal.

// Main returns the cell whose place c takes as a context, or c itself.
func (c *Cell) Main() *Cell {
	if e := c.ext.Load(); e != nil && e.main != nil {
		return e.main
	}
	return c
}

// shadow returns the cell that is the context of this run in place of c.
func (c *Cell) shadow(parent context.Context) *Cell {
	c.retire()
	e := c.extend()
	e.mu.Lock()
	defer e.mu.Unlock()
	if s := e.shadow; s != nil && !s.state.wasSeen() {
		s.adopt(parent)
		if s.state.CompareAndSwap(0, live) { // it has not been seen meanwhile
			return s
		}
	}
	// A shadow always has an extension, so the two are one allocation.
	s := &struct {
		Cell
		extension
	}{}
	s.Cell.ext.Store(&s.extension)
	s.Cell.Plan = c.Plan
	s.extension.main = c
	s.adopt(parent)
	s.Cell.state.Store(live)
	e.shadow = &s.Cell
	return e.shadow
}

// retire ends the context that c may still be to somebody who has kept it from an earlier run, and
// has asked it for a signal just when this run began.
func (c *Cell) retire() {
	if !c.Live() {
		return
	}
	c.state.And(^uint32(live))
	e := c.extend()
	e.mu.Lock()
	cancel := e.cancel
	e.mu.Unlock()
	if cancel != nil {
		cancel(context.Canceled)
	}
}

// disown marks the contexts of earlier runs of c from which parent derives, so that none is reused
// for a run that derives from parent: it would derive from itself.
func (c *Cell) disown(parent context.Context) {
	for run := FromContext(parent); run != nil; run = FromContext(run.parent()) {
		if run.Main() == c {
			run.state.Or(seen)
		}
	}
}

// adopt makes parent the context from which this run derives, unless a plan says which one that is.
func (c *Cell) adopt(parent context.Context) {
	if c.Plan != nil || c.ext.Load() == nil && (parent == nil || parent == context.Background()) {
		return
	}
	e := c.extend()
	e.mu.Lock()
	e.parent = parent
	e.mu.Unlock()
}

// handOver ends the context of a run that was interrupted before its shadow was there.
func (e *extension) handOver(shadow *Cell) {
	e.mu.Lock()
	cause := e.cause
	e.mu.Unlock()
	if cause != nil {
		shadow.end(cause)
	}
}
