package cell

import "fmt"

// InBody reports whether a body of the task is in progress.
func (c *Cell) InBody() bool { return c.state.Load()&body != 0 }

// Validate checks what must hold of a cell between any two calls: the flags of its state word go
// with its phase, and what is in its extension with its state word. The result is for a cell that
// nobody else uses at the moment.
func (c *Cell) Validate() error {
	if err := validateWord(c.state.Load()); err != nil {
		return err
	}
	e := c.ext.Load()
	if e == nil {
		return nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if err := c.validateSignals(e); err != nil {
		return err
	}
	if err := e.watchers.validate(settled(c.state.Load())); err != nil {
		return err
	}
	return c.validateContext(e)
}

// validateWord checks that a state word is one of those that the transitions of a cell lead to.
func validateWord(s uint32) error {
	phase := phaseOf(s)
	has := func(flag uint32) bool { return s&flag != 0 }
	fault := ""
	switch {
	case s&^(phaseMask|body|live|seen|full|gone|bare|once) != 0, phase > Cancelled:
		fault = "there is no such phase or flag"
	case has(body) && !has(once):
		fault = "a body is in progress that has not begun"
	case has(once) && has(full):
		fault = "it is settled by its runner, and keeps whether it had begun"
	case phase == Pending && s&^(seen|once) != 0:
		fault = "a pending cell has flags of a run, or of an end"
	case phase == Running && !has(body):
		fault = "it runs without a body"
	case has(live) && !has(body):
		fault = "a context lives longer than its body"
	case has(full) && phase != Succeeded && phase != Failed:
		fault = "a result is complete that the runner has not settled"
	case has(full) && has(body):
		fault = "the runner has settled the cell and goes on"
	case phase == Succeeded && !has(full):
		fault = "it has succeeded without its runner"
	case has(gone) && phase != Cancelled:
		fault = "the host has cancelled what is not cancelled"
	case has(bare) && !stopped(s):
		fault = "the body is forgotten before its end"
	}
	if fault != "" {
		return fmt.Errorf("state word %b, of phase %d: %s", s, phase, fault)
	}
	return nil
}

func (c *Cell) validateSignals(e *extension) error {
	s := c.state.Load()
	for name, signal := range map[string]struct {
		ch    chan struct{}
		holds bool
	}{"done": {e.done, settled(s)}, "stopped": {e.stopped, stopped(s)}} {
		if signal.ch == nil {
			continue
		}
		select {
		case <-signal.ch:
			if !signal.holds {
				return fmt.Errorf("the channel of %s is closed too early, in state %b", name, s)
			}
		default:
			if signal.holds {
				return fmt.Errorf("the channel of %s is open still, in state %b", name, s)
			}
		}
	}
	if e.err != nil && (!settled(s) || phaseOf(s) == Succeeded) {
		return fmt.Errorf("there is an error in state %b: %w", s, e.err)
	}
	return nil
}

// validate checks that ws is one list in both directions, of which none is left once the cell is
// settled.
func (ws *Watchers) validate(settled bool) error {
	if settled && ws.first != nil {
		return fmt.Errorf("somebody watches a settled cell")
	}
	var behind *Watcher
	for w := ws.first; w != nil; behind, w = w, w.next {
		if w.prev != behind || !w.watching {
			return fmt.Errorf("a watcher does not know its place")
		}
	}
	if ws.last != behind {
		return fmt.Errorf("the last watcher is not the last")
	}
	return nil
}

// validateContext checks that one context lives at most, that of the run in progress, and that the
// others have ended.
func (c *Cell) validateContext(e *extension) error {
	if (e.ctx == nil) != (e.cancel == nil) {
		return fmt.Errorf("a context cannot be ended, or an end has no context")
	}
	if e.ctx != nil && !c.Live() && e.ctx.Err() == nil {
		return fmt.Errorf("a context lives on, and its run does not")
	}
	if e.ctx != nil && c.state.Load()&seen == 0 {
		return fmt.Errorf("there is a context that nobody has asked for")
	}
	if e.shadow == nil {
		return nil
	}
	if c.Live() && e.shadow.Live() {
		return fmt.Errorf("two contexts of one cell live")
	}
	if e.shadow.Live() && c.state.Load()&body == 0 {
		return fmt.Errorf("a shadow lives longer than the run")
	}
	if e.shadow.Main() != c {
		return fmt.Errorf("a shadow is not of this cell")
	}
	x := e.shadow.ext.Load()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ctx != nil && !e.shadow.Live() && x.ctx.Err() == nil {
		return fmt.Errorf("the context of a shadow lives on, and its run does not")
	}
	return nil
}
