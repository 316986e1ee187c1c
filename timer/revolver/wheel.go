// Package revolver is Akka's LightArrayRevolverScheduler for Go: one array of slots, a lock-free
// intake, and a Close that returns what is pending or runs it, function by function, as you decide.
// It suits the many short delays of message passing: acknowledgements, retries, throttles.
//
//	w := revolver.New(timer.Config{})
//	w.AfterFunc(200*time.Millisecond, retry)
//	timer.AtFixedRate(w, 0, time.Second, heartbeat) // corrects itself: no drift
//	...
//	w.Close() // what is pending is returned, not run before its time
//
// # Promises
//
// The wheel keeps the promises of [timer.Scheduler]; above all, it is never early. A function
// begins within one tick of its deadline, plus what the runtime's timers and the executor take. An
// Executor that calls functions before it returns gets them in order of their deadlines, equal ones
// in the order in which they were armed; but a function armed without a delay may overtake others
// that wait for the current tick to end.
//
// # Cost
//
// Arming makes one allocation. It takes the wheel's lock only for one function in 128, and for one
// that is due before all others.
//
// Stopping is O(1). The wheel then lets go of the function at once, with two exceptions: up to 127
// of those armed last, which it drops when it next looks, and those that are due and wait for the
// executor.
//
// A tick that has anything in it walks its slot, an array that keeps each tick beside its function:
// a function due on a later turn costs 16 bytes of reading, where a list would cost a cache miss.
// An empty tick costs nothing: the wheel sleeps until the first tick that has anything in it, and
// has no goroutine.
//
// # Compared with Akka
//
// The array is the same, and so are the lock-free intake, the defaults (10 ms, 512 slots),
// callbacks on an executor, and that a function armed while the wheel is being closed is either
// run, returned or refused. These things differ:
//
//   - The clock is read when a function is armed, not when the wheel next looks, so a function is
//     up to one tick late instead of up to three.
//   - A delay of more than 2³¹ ticks is not refused, and the tick count does not wrap after that
//     many.
//   - A stopped function leaves its slot at once, and does not wait there for its tick.
//   - A function that is due at once has a handle too.
//   - What is to run at the end is decided at the end, function by function, by [Wheel.CloseFunc].
package revolver

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New], for a Config that leaves Tick or Slots zero.
const (
	DefaultTick  = 10 * time.Millisecond
	DefaultSlots = 512
)

// Wheel is a revolver: a hashed timing wheel whose slots are arrays. Make one with [New]; the zero
// Wheel is not usable. It is safe for concurrent use and must not be copied.
type Wheel struct {
	core *wheel.Wheel
}

// New returns a wheel. It starts no goroutine. The number of slots is rounded up to a power of two.
// A negative value panics, and so do more than 1,048,576 slots. A wheel made inside a
// testing/synctest bubble runs on the bubble's clock, exactly.
func New(c timer.Config) *Wheel {
	c = wheel.Complete(c, "revolver", DefaultTick, DefaultSlots, true)
	return &Wheel{wheel.New(c, newDial(c.Slots))}
}

// AfterFunc calls f once, within a tick of d from now, and returns its handle. It implements
// [timer.Scheduler], which says what other delays mean: zero or less is now. A nil f panics. If the
// wheel is closed or full, f is not called and [timer.Err] of the handle tells why; use
// [Wheel.Schedule] to get that as an error at once.
func (w *Wheel) AfterFunc(d time.Duration, f func()) timer.Handle { return w.core.AfterFunc(d, f) }

// Schedule is AfterFunc with an error: [timer.ErrClosed] or [timer.ErrSaturated], with a nil
// handle, if the wheel is closed or full and f will not be called.
func (w *Wheel) Schedule(d time.Duration, f func()) (timer.Handle, error) {
	return w.core.Schedule(d, f)
}

// Close ends the wheel. Functions armed later are refused. Those that the wheel still holds are not
// called but returned, in order of their deadlines, and [timer.Err] of each is [timer.ErrClosed].
// Functions that it has already taken out because they were due are called as usual. It is
// CloseFunc(nil).
func (w *Wheel) Close() []timer.Handle { return w.core.Close(nil) }

// CloseFunc is Close with a choice. It calls run with the handle of each function that the wheel
// still holds, in order of their deadlines. If run returns true, the function is handed to the
// executor now, before its time: to save its state, to say goodbye. If run returns false or is nil,
// the function is not called, but returned.
//
// CloseFunc may be called from anywhere, from a function of the wheel too, and waits for nothing
// but run. If run panics or ends its goroutine, the functions it has not been asked about are
// neither called nor returned. A second call, of Close or CloseFunc, returns nil.
func (w *Wheel) CloseFunc(run func(timer.Handle) bool) (returned []timer.Handle) {
	return w.core.Close(run)
}

// Armed returns how many functions are pending: armed, and not yet begun, stopped or refused.
func (w *Wheel) Armed() int { return w.core.Armed() }

// Wakeups returns how often the wheel has woken to look for functions that are due. In a wheel at
// rest it does not grow.
func (w *Wheel) Wakeups() uint64 { return w.core.Wakeups() }
