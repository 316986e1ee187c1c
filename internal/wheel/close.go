package wheel

import "github.com/punctual-go/punctual/timer"

// Close ends the wheel. Nothing is armed from now on. For each timer that the wheel still holds it
// calls run, in order of deadlines: on true the timer goes to the turn, to be handed to the
// executor; on false it is disarmed and returned. A nil run always says no. What is due already is
// in a batch or with the executor, and takes its course. A second call finds nothing.
//
// While run is asked, the timers are in state due though nothing will call them, so that their
// owners can still stop them.
func (w *Wheel) Close(run func(timer.Handle) bool) (returned []timer.Handle) {
	pending := w.clear()
	defer func() { // pending is not empty here only if run panics or ends this goroutine
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

// hasten makes the turn hand over t, which is in state due, before its time.
func (w *Wheel) hasten(t *Timer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.delay(t)
	w.attend(w.clock.Now())
}

// clear closes the wheel and takes all timers out of it, as if they were due, in order of
// deadlines.
func (w *Wheel) clear() (pending []arming) {
	w.mu.Lock()
	w.closed.Store(true)
	for t := w.intake.takeAll(); t != nil; {
		next := t.next
		t.next = nil
		w.number(t) // as if it had been placed: the order of arming counts among equal deadlines
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
