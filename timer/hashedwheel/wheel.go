// Package hashedwheel is Netty's HashedWheelTimer for Go: one array of slots, in which a function
// waits in the slot of its tick, beside functions due there on later turns of the wheel. Arming and
// stopping are O(1) however many functions are pending. It suits very many timeouts that are
// nearly always stopped and may be late by a tick: one per request, one per connection.
//
//	w := hashedwheel.New(timer.Config{})
//	defer w.Close()
//	h := w.AfterFunc(30*time.Second, conn.Close)
//	...
//	h.Reset(30 * time.Second) // there was traffic
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
// A tick that has anything in it walks its whole slot, including what is due on a later turn: on
// average the number of pending functions divided by that of slots. So give many slots to a wheel
// that holds many far functions. An empty tick costs nothing: the wheel sleeps until the first tick
// that has anything in it, and has no goroutine.
//
// # Compared with Netty
//
// The array is the same, and so are its size, a power of two, the lock-free intake, the limit, the
// defaults (100 ms, 512 slots), and that Close returns what it has cancelled. These things differ:
//
//   - An entry knows its tick, and does not count down rounds.
//   - Empty ticks are skipped, and a tick may be shorter than a millisecond.
//   - A function can be stopped until it actually begins, and leaves its slot at once.
//   - Functions run on goroutines of their own or on an executor; there is no worker thread.
//   - A refusal by the executor is not lost: [timer.Err] tells.
//   - A function without a delay does not wait for a tick.
//   - Functions of one tick run in order of their deadlines.
//   - Close may be called from anywhere.
package hashedwheel

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New], for a Config that leaves Tick or Slots zero.
const (
	DefaultTick  = 100 * time.Millisecond
	DefaultSlots = 512
)

// Wheel is a hashed timing wheel (Varghese and Lauck, 1987, scheme 6). Make one with [New]; the
// zero Wheel is not usable. It is safe for concurrent use and must not be copied.
type Wheel struct {
	core *wheel.Wheel
}

// New returns a wheel. It starts no goroutine. The number of slots is rounded up to a power of two.
// A negative value panics, and so do more than 1,048,576 slots. A wheel made inside a
// testing/synctest bubble runs on the bubble's clock, exactly.
func New(c timer.Config) *Wheel {
	c = wheel.Complete(c, "hashedwheel", DefaultTick, DefaultSlots, true)
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
// Functions that it has already taken out because they were due are called as usual. Close waits
// for nothing and may be called from anywhere, from a function of the wheel too. A second Close
// returns nil.
func (w *Wheel) Close() []timer.Handle { return w.core.Close(nil) }

// Armed returns how many functions are pending: armed, and not yet begun, stopped or refused.
func (w *Wheel) Armed() int { return w.core.Armed() }

// Wakeups returns how often the wheel has woken to look for functions that are due. In a wheel at
// rest it does not grow.
func (w *Wheel) Wakeups() uint64 { return w.core.Wakeups() }
