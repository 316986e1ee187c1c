package wheel

import "fmt"

// Validate checks that the wheel and its timers agree about where each timer is, and that the wheel
// will look no later than the first is due. Nothing but stops may be in progress. It is for tests.
func (w *Wheel) Validate() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.turning {
		return fmt.Errorf("wheel: a turn is in progress")
	}
	armed := int64(0)
	count := func(t *Timer, want state) error {
		s := state(t.state.Load())
		if s.armed() {
			armed++
		}
		if s.armed() && s != want || t.linked != (want == placed) {
			return fmt.Errorf("wheel: timer in state %d, linked %v, is kept as in state %d",
				s, t.linked, want)
		}
		return nil
	}
	for t := w.intake.top.Load(); t != nil; t = t.next {
		if err := count(t, queued); err != nil {
			return err
		}
		if s := state(t.state.Load()); s.armed() && w.timeOf(t.tick) < w.wake.Load() {
			return fmt.Errorf(
				"wheel: a timer of tick %d is in the intake, and the wheel wakes at %d",
				t.tick, w.wake.Load())
		}
	}
	timers, err := w.dial.(interface {
		Validate(hand int64) ([]*Timer, error)
	}).Validate(w.passed)
	if err != nil {
		return err
	}
	for _, t := range timers {
		switch err := count(t, placed); {
		case err != nil:
			return err
		case t.tick <= w.passed, t.tick < w.first, w.timeOf(t.tick) < w.wake.Load():
			return fmt.Errorf("wheel: a timer of tick %d is in the dial; "+
				"the hand is at %d, the first tick %d, the wheel wakes at %d",
				t.tick, w.passed, w.first, w.wake.Load())
		case t.tick != w.tickOf(t.when) && t.tick != w.tickOf(t.when)-1:
			return fmt.Errorf("wheel: a timer due at %d has tick %d", t.when, t.tick)
		}
	}
	if len(w.late) > 0 || len(w.batch) > 0 {
		return fmt.Errorf("wheel: %d late and %d due timers, and no turn",
			len(w.late), len(w.batch))
	}
	if n := w.pending.Load(); n < armed {
		return fmt.Errorf("wheel: %d timers are armed, %d are counted", armed, n)
	}
	return nil
}

// ValidateLinks checks that l is the same list in both directions, and that its timers point to it.
func (l *List) ValidateLinks() error {
	var behind *Timer
	for t := l.first; t != nil; behind, t = t, t.next {
		if t.prev != behind || t.List != l {
			return fmt.Errorf("list: a timer of tick %d does not know its place", t.tick)
		}
	}
	if l.last != behind {
		return fmt.Errorf("list: the last timer is not the end")
	}
	return nil
}
