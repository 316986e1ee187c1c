package wheel

import "github.com/punctual-go/punctual/timer"

// Close ends the wheel: nothing more is armed, and what is not due is asked for, in order: if run
// says so it goes to the turn, to be handed to the executor, else it is disarmed and returned. A nil run
// always says no. What is due is in a batch, or the executor's, and takes its course. A second call
// finds nothing.
func (w *Wheel) Close(run func(timer.Handle) bool) (returned []timer.Handle) {
	pending := w.clear()
	defer func() { // not empty only if run panics, or ends this goroutine
		for _, a := range pending {
			a.timer.disarm(stopped)
		}
	}()
	for len(pending) > 0 {
		t := pending[0].timer
		now := run != nil && run(t)
		pending = pending[1:]
		if now {
			w.hasten(t)
		} else if _, ok := t.disarm(stopped); ok {
			returned = append(returned, t)
		}
	}
	return returned
}

// hasten has the turn hand over t, which counts as due.
func (w *Wheel) hasten(t *Timer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay(t)
	w.attend(w.clock.Now())
}

// clear closes the wheel and takes out all timers, as if they were due.
func (w *Wheel) clear() (pending []arming) {
	w.mu.Lock()
	w.closed.Store(true)
	for t := w.intake.takeAll(); t != nil; {
		next := t.next
		t.next = nil
		w.number(t)
		if t.move(queued, due) {
			pending = append(pending, arming{t.when, t.seq, t})
		}
		t = next
	}
	w.dial.Drain(func(t *Timer) {
		t.linked = false
		if t.move(placed, due) {
			pending = append(pending, arming{t.when, t.seq, t})
		}
	})
	w.first = noTick
	if w.alarm != nil {
		w.alarm.Stop()
	}
	w.mu.Unlock()
	inOrder(pending)
	return pending
}
