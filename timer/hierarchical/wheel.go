// Package hierarchical is Kafka's SystemTimer for Go: wheels above wheels, each with slots as wide as the
// whole wheel below, and a delay queue of the slots that hold anything. It suits delays of very
// different length in one place, from milliseconds to days, at one grain.
//
//	w := hierarchical.New(timer.Config{}) // 20 slots of a millisecond, 20 of 20 ms, 20 of 400 ms, ...
//	defer w.Close()
//	w.AfterFunc(24*time.Hour, expire)
//
// # Promises
//
// Those of [timer.Scheduler]; in particular never early. A function begins within one tick of its
// deadline, plus what the runtime's timers and the executor take, however far away it was. With an
// Executor that calls functions itself, they begin in the order of their deadlines, equal ones in the
// order in which they were armed; one armed without delay may overtake those that wait for the end of
// the present tick.
//
// # Cost
//
// To arm: one allocation, and no lock but for one in 128 and for one that is due before all others; then
// O(levels) to be moved into its slot, and O(log slots in use) if that was empty: seven levels for a day
// in milliseconds. To stop: O(1), and O(log slots in use) for the last of its slot; the wheel then keeps
// nothing of the function, but for up to 127 of those armed last, which it drops when it next looks, and
// for those that are due and wait for the executor. A function moves down a level when another of its slot
// is due, at most once per level. There are no empty ticks: the wheel sleeps until the first function is
// due, and has no goroutine.
//
// # Compared with Kafka
//
// The same are the levels, made on demand, the defaults (1 ms, 20 slots), the delay queue, which makes
// empty ticks free, and that one function has one place. Different are: Kafka calls a function at the
// start of its tick, up to a tick early, here the deadline is rounded up; a slot waits for the first
// function in it and not for its own beginning, so a far one that is alone is never moved; the clock of
// the levels does not lag behind in an idle wheel; a slot that is emptied by stops does not wake
// anybody; a function that is stopped while it moves is gone; what is armed after the end is refused,
// and what was pending is returned; functions do not queue for one thread.
package hierarchical

import (
	"time"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/timer"
)

// The defaults of [New].
const (
	DefaultTick  = time.Millisecond
	DefaultSlots = 20
)

// Wheel is a hierarchical timing wheel (Varghese and Lauck, 1987, scheme 7). It is made by [New], is safe
// for concurrent use, and must not be copied.
type Wheel struct {
	core *wheel.Wheel
	dial *dial
}

// New returns a wheel. It starts nothing. Config.Slots is the number of each level, at least 2. It
// panics on a negative value, a single slot, and on more than a million. Inside a testing/synctest
// bubble the wheel runs on the bubble's clock, exactly.
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
