// Package revolver is Akka's LightArrayRevolverScheduler for Go: one array of slots, arming by a queue
// that takes no lock, and a close that gives back what is pending or runs it, as asked. It suits the
// many short delays of message passing: acknowledgements, retries, throttles.
//
//	w := revolver.New(timer.Config{})
//	w.AfterFunc(200*time.Millisecond, retry)
//	timer.AtFixedRate(w, 0, time.Second, heartbeat) // corrects itself: no drift
//	...
//	w.Close(nil) // nothing runs before its time because of a shutdown
//
// # Promises
//
// Those of [timer.Scheduler]; in particular never early. A function begins within one tick of its deadline,
// plus what the runtime's timers and the executor take. With an Executor that calls functions itself,
// they begin in the order of their deadlines, equal ones in the order in which they were armed; one armed
// without delay may overtake those that wait for the end of the present tick.
//
// # Cost
//
// To arm: one allocation, and no lock but for one in 128 and for one that is due before all others. To
// stop: O(1); the wheel then keeps nothing of the function, but for up to 127 of those armed last, which
// it drops when it next looks, and for those that are due and wait for the executor. A tick with something
// in it looks through its slot, an array of ticks beside their functions: those of later turns cost 16
// bytes of reading each, where a list would cost a cache miss. Ticks without anything cost nothing: the
// wheel sleeps until the first that has something in it, and has no goroutine.
//
// # Compared with Akka
//
// The same are the array, the intake that takes no lock, the defaults (10 ms, 512 slots), callbacks on
// an executor, and that every function armed while the wheel is closed is either run, returned, or
// refused. Different are: the clock is read when a function is armed, not when the wheel next looks, so
// it is up to one tick late instead of up to three; a delay too long for 2³¹ ticks is not refused, nor
// does the count wrap after so many; a stopped function does not wait in its slot to be met; what is
// due at once has a handle, too; what is to run at the end is decided at the end, function by function,
// by [Wheel.CloseFunc].
package revolver

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New].
const (
	DefaultTick  = 10 * time.Millisecond
	DefaultSlots = 512
)

// Wheel is a revolver. It is made by [New], is safe for concurrent use, and must not be copied.
type Wheel struct {
	core *wheel.Wheel
}

// New returns a wheel. It starts nothing. Slots are rounded up to a power of two. It panics on a
// negative value and on more than a million slots. Inside a testing/synctest bubble the wheel runs on
// the bubble's clock, exactly.
func New(c timer.Config) *Wheel {
	c = wheel.Complete(c, "revolver", DefaultTick, DefaultSlots, true)
	return &Wheel{wheel.New(c, newDial(c.Slots))}
}

// AfterFunc calls f once, d from now, within a tick. It implements [timer.Scheduler]: if the wheel is
// closed, or full, f is not called, and [timer.Err] of the handle tells; [Wheel.Schedule] tells at once.
func (w *Wheel) AfterFunc(d time.Duration, f func()) timer.Handle { return w.core.AfterFunc(d, f) }

// Schedule is AfterFunc that returns an error if f will not be called: [timer.ErrClosed] or
// [timer.ErrSaturated].
func (w *Wheel) Schedule(d time.Duration, f func()) (timer.Handle, error) {
	return w.core.Schedule(d, f)
}

// Close ends the wheel: functions armed later are refused, and those that wait in the wheel are not
// called but returned, in the order of their deadlines. It is CloseFunc(nil).
func (w *Wheel) Close() []timer.Handle { return w.core.Close(nil) }

// CloseFunc is Close that asks about each function that waits, in the order of their deadlines: if
// run returns true, the function is handed to the executor now, before its time: save the state, say
// goodbye. If it returns false, or run is nil, the function is not called, has [timer.ErrClosed] as
// its error, and is among those returned. What the wheel has taken out because it was due is with
// the executor, or about to be, and takes its course. CloseFunc may be called from anywhere, and
// waits for nothing but run. If run panics, or ends its goroutine, what it was not asked about is
// not called either, though nobody gets it. A second call, of Close or CloseFunc, returns nothing.
func (w *Wheel) CloseFunc(run func(timer.Handle) bool) (returned []timer.Handle) {
	return w.core.Close(run)
}

// Armed returns how many functions are armed and have not begun.
func (w *Wheel) Armed() int { return w.core.Armed() }

// Wakeups returns how often the wheel has looked for something due.
func (w *Wheel) Wakeups() uint64 { return w.core.Wakeups() }
