package wheel

import (
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// state is where a timer stands. What is armed can be stopped; who changes the state of an armed
// timer, by compare-and-swap, owns what follows from it:
//
//	queued                  born so by AfterFunc: in the intake
//	queued -> placed        the intake is emptied into the dial
//	placed -> due           its tick has come; it waits for the executor, or in it
//	due    -> idle          its function begins
//	due    -> rejected      the executor refuses it, panics, or ends the goroutine
//	due    -> placed        Reset
//	queued, placed, due -> idle     Stop
//	queued, placed -> due -> stopped   the wheel is closed, and returns it
//	queued -> stopped                  or refuses it, as it came later
//	idle, full, rejected -> placed  Reset; the lock is held, so that only one does
//	idle, full, rejected -> full, stopped   Reset is refused
//
// The intake may still hold a timer that is idle, and so may a batch and an executor, which then
// find that there is nothing to do. If it has been armed again meanwhile and is due, the first of them to
// come runs it, and the others find it idle.
type state uint32

const (
	idle   state = iota
	queued       // from here
	placed
	due // to here: armed
	full
	stopped
	rejected
)

func (s state) armed() bool { return s >= queued && s <= due }

// Timer is a function that is to be called once, and its handle: one allocation.
type Timer struct {
	wheel *Wheel
	f     func()
	state atomic.Uint32

	depth int32 // of the intake, when it was pushed

	// The lock guards these once the timer has been pushed.
	when   int64 // deadline
	tick   int64 // the first at or after the deadline
	seq    uint64
	linked bool // in the dial

	// The dial's own, for either way of keeping a slot.
	Place int32  // in an array
	List  *List  // the slot it is in
	prev  *Timer // in the list

	next *Timer // below it in the intake, then behind it in the list
}

// Tick returns the tick at which t is due.
func (t *Timer) Tick() int64 { return t.tick }

// Stop implements [timer.Handle]. O(1); one in the intake leaves it with the next that are moved.
func (t *Timer) Stop() bool {
	was, ok := t.disarm(idle)
	if ok && was == placed {
		t.wheel.unlink(t)
	}
	return ok
}

// Reset implements [timer.Handle].
func (t *Timer) Reset(d time.Duration) bool {
	w := t.wheel
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	w.adopt(now) // t may be in the intake
	if w.closed.Load() {
		_, was := t.disarm(stopped)
		return was || w.admit(t)
	}
	was := t.recall()
	if !was {
		if !w.admit(t) {
			return false
		}
		t.state.Store(uint32(placed))
	}
	if t.linked {
		w.remove(t)
	}
	w.plan(t, now, d)
	w.place(t)
	w.attend(now)
	return was
}

// Err returns why the wheel has not called the function, see [timer.Err].
func (t *Timer) Err() error {
	switch state(t.state.Load()) {
	case full:
		return timer.ErrSaturated
	case stopped:
		return timer.ErrClosed
	case rejected:
		return timer.ErrRejected
	default:
		return nil
	}
}

// move changes the state and reports whether it was the one expected.
func (t *Timer) move(from, to state) bool {
	return t.state.CompareAndSwap(uint32(from), uint32(to))
}

// disarm ends an arming before the function begins. It returns the state before, and whether it was
// this call that did it.
func (t *Timer) disarm(to state) (was state, ok bool) {
	for {
		was = state(t.state.Load())
		if !was.armed() {
			return was, false
		}
		if t.move(was, to) {
			t.wheel.pending.Add(-1)
			return was, true
		}
	}
}

// recall takes an armed timer back from the executor's line and reports whether it is armed. The lock
// is held, and the intake empty.
func (t *Timer) recall() bool {
	for {
		switch s := state(t.state.Load()); {
		case s != due:
			return s.armed()
		case t.move(due, placed):
			return true
		}
	}
}

// call runs the function if the timer is due still.
func (t *Timer) call() {
	if !t.move(due, idle) {
		return
	}
	t.wheel.pending.Add(-1)
	t.wheel.guard(t.f)
}
