package wheel

import (
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// state is the state of a timer. An armed timer can be stopped. All changes of an armed timer's
// state are by compare-and-swap, and whoever wins one does what follows from it:
//
//	queued                                  AfterFunc has pushed it onto the intake
//	queued -> placed                        the intake is emptied into the dial
//	placed -> due                           its tick has come; it waits for the executor, or in it
//	due    -> idle                          its function begins
//	due    -> rejected                      the executor refuses it, panics, or ends the goroutine
//	due    -> placed                        Reset
//	queued, placed, due -> idle             Stop
//	queued, placed -> due -> stopped        the wheel is closed and returns it
//	queued -> stopped                       the wheel was closed before it came, and refuses it
//	idle, full, rejected -> placed          Reset, with the lock held, so that only one does it
//	idle, full, rejected -> full, stopped   Reset is refused
//
// A timer may be idle and still be held by the intake, a batch or an executor, which then find that
// there is nothing to do. If it was armed again meanwhile and is due, the first of them to get to
// it runs it, and the others find it idle.
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

// armed reports whether the function is still to be called.
func (s state) armed() bool { return s >= queued && s <= due }

// Timer is a function that is to be called once, together with its handle, in one allocation.
type Timer struct {
	wheel *Wheel
	f     func()
	state atomic.Uint32

	depth int32 // of the intake, with this timer on top; written before it is pushed

	// The wheel's lock guards the fields below once the timer has been pushed.
	when   int64  // deadline
	tick   int64  // the first at or after the deadline
	seq    uint64 // order among equal deadlines; a new one for each arming
	linked bool   // in the dial

	// For the dial, whichever way it keeps a slot.
	Place int32  // index in an array
	List  *List  // the list it is in
	prev  *Timer // in the list

	next *Timer // the one below in the intake, or the one behind in the list
}

// Tick returns the tick at which t is due.
func (t *Timer) Tick() int64 { return t.tick }

// Stop implements [timer.Handle]. O(1). A timer in the intake stays there until that is next
// emptied.
func (t *Timer) Stop() bool {
	was, ok := t.disarm(idle)
	if ok && was == placed {
		t.wheel.unlink(t)
	}
	return ok
}

// Reset implements [timer.Handle]. It takes the lock, unlike the first arming, so that two Resets
// of one timer come one after the other.
func (t *Timer) Reset(d time.Duration) bool {
	w := t.wheel
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	w.adopt(now) // t may be in the intake, whose links it could not leave
	if w.closed.Load() {
		_, was := t.disarm(stopped) // a Close in progress then does not return t
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

// Err returns why the wheel will not call the function; see [timer.Err].
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

// move changes the state if it is from, and reports whether it was.
func (t *Timer) move(from, to state) bool {
	return t.state.CompareAndSwap(uint32(from), uint32(to))
}

// disarm ends an arming before the function begins. It returns the state before, and whether this
// call did it.
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

// recall takes back a timer that is due, from the batch or the executor, and reports whether the
// timer is armed. The lock is held and the intake is empty, so only Stop and the call of the
// function can interfere.
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

// call runs the function if the timer is still due. It may be called several times for one arming:
// for what was handed over before a Reset, too. The first call wins.
func (t *Timer) call() {
	if !t.move(due, idle) {
		return
	}
	t.wheel.pending.Add(-1)
	t.wheel.guard(t.f)
}
