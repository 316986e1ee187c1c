// Package hashedwheel is Netty's HashedWheelTimer for Go: one array of slots, in which a function waits
// in the slot of its tick, together with those of other turns of the wheel. To arm and to stop are O(1)
// however many are pending. It suits very many timeouts that are nearly always stopped, and for which a
// tick more or less does not matter: one per request, per connection.
//
//	w := hashedwheel.New(timer.Config{})
//	defer w.Close()
//	h := w.AfterFunc(30*time.Second, conn.Close)
//	...
//	h.Reset(30 * time.Second) // there was traffic
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
// in it walks its whole slot, also those in it that are due in a later turn: n/Slots on average, so give a
// wheel that holds many far functions many slots. Ticks without anything cost nothing: the wheel sleeps
// until the first that has something in it, and has no goroutine.
//
// # Compared with Netty
//
// The same are the array, its size rounded up to a power of two, the intake that takes no lock, the
// limit, the defaults (100 ms, 512 slots), and that Close returns what it has cancelled. Different are:
// an entry knows its tick and counts no rounds; empty ticks are jumped over; a tick below a millisecond
// is possible; a function can be stopped until it really begins, and then leaves its slot at once;
// functions run on goroutines of their own, or on an executor, never on the wheel's worker, as there is
// none; what an executor refuses is not lost but told by [timer.Err]; a function without delay does not
// wait for a tick; those of one tick run in order of their deadlines; Close may be called from anywhere.
package hashedwheel

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New].
const (
	DefaultTick  = 100 * time.Millisecond
	DefaultSlots = 512
)

// Wheel is a hashed timing wheel (Varghese and Lauck, 1987, scheme 6). It is made by [New], is safe
// for concurrent use, and must not be copied.
type Wheel struct {
	core *wheel.Wheel
}

// New returns a wheel. It starts nothing. Slots are rounded up to a power of two. It panics on a
// negative value and on more than a million slots. Inside a testing/synctest bubble the wheel runs on
// the bubble's clock, exactly.
func New(c timer.Config) *Wheel {
	c = wheel.Complete(c, "hashedwheel", DefaultTick, DefaultSlots, true)
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
// called but returned, in the order of their deadlines; each then has [timer.ErrClosed] as its error.
// What the wheel has taken out because it was due is with the executor, or about to be, and takes its
// course. Close may be called from anywhere, and waits for nothing. A second Close returns nothing.
func (w *Wheel) Close() []timer.Handle { return w.core.Close(nil) }

// Armed returns how many functions are armed and have not begun.
func (w *Wheel) Armed() int { return w.core.Armed() }

// Wakeups returns how often the wheel has looked for something due.
func (w *Wheel) Wakeups() uint64 { return w.core.Wakeups() }
