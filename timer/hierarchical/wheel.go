// Package hierarchical is Kafka's SystemTimer for Go: a stack of wheels, in which one slot is as
// wide as the whole wheel below, and a delay queue of the slots that hold anything. It suits delays
// of very different lengths in one place, from milliseconds to days, all equally fine-grained.
//
//	w := hierarchical.New(timer.Config{}) // 20 slots of 1 ms, 20 of 20 ms, 20 of 400 ms, ...
//	defer w.Close()
//	w.AfterFunc(24*time.Hour, expire)
//
// # Promises
//
// The wheel keeps the promises of [timer.Scheduler]; above all, it is never early. A function
// begins within one tick of its deadline, plus what the runtime's timers and the executor take,
// however far away it was. An Executor that calls functions before it returns gets them in order of
// their deadlines, equal ones in the order in which they were armed; but a function armed without a
// delay may overtake others that wait for the current tick to end.
//
// # Cost
//
// Arming makes one allocation. It takes the wheel's lock only for one function in 128, and for one
// that is due before all others. Later the function is moved into its slot in O(levels), plus O(log
// slots in use) if the slot was empty. A day in milliseconds takes seven levels.
//
// Stopping is O(1), plus O(log slots in use) for the last function in its slot. The wheel then lets
// go of the function at once, with two exceptions: up to 127 of those armed last, which it drops
// when it next looks, and those that are due and wait for the executor.
//
// A function moves down when another one in its slot is due, at most once per level. An empty tick
// costs nothing: the wheel sleeps until the first function is due, and has no goroutine.
//
// # Compared with Kafka
//
// The levels, made on demand, are the same, and so are the defaults (1 ms, 20 slots), the delay
// queue, which makes empty ticks free, and that a function is in one place at a time. These things
// differ:
//
//   - Kafka calls a function at the start of its tick, up to a tick early. Here the deadline is
//     rounded up.
//   - A slot waits for its first function, not for its own beginning, so a far function that is
//     alone is never moved.
//   - The clock of the levels does not lag behind in an idle wheel.
//   - A slot emptied by stops wakes nobody.
//   - A function that is stopped while it moves is gone.
//   - What is armed after Close is refused, and what was pending is returned.
//   - Functions do not queue for one thread.
package hierarchical

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New], for a Config that leaves Tick or Slots zero.
const (
	DefaultTick  = time.Millisecond
	DefaultSlots = 20
)

// Wheel is a hierarchical timing wheel (Varghese and Lauck, 1987, scheme 7). Make one with [New];
// the zero Wheel is not usable. It is safe for concurrent use and must not be copied.
type Wheel struct {
	core *wheel.Wheel
	dial *dial
}

// New returns a wheel. It starts no goroutine. Config.Slots is the number of slots on each level,
// at least 2. A negative value panics, and so do a single slot and more than 1,048,576 of them. A
// wheel made inside a testing/synctest bubble runs on the bubble's clock, exactly.
func New(c timer.Config) *Wheel {
	c = wheel.Complete(c, "hierarchical", DefaultTick, DefaultSlots, false)
	if c.Slots < 2 {
		panic("hierarchical: a level needs at least 2 slots")
	}
	d := newDial(c.Slots)
	w := &Wheel{core: wheel.New(c, d), dial: d}
	d.time = w.core.Time
	return w
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
