package wheel

import (
	"cmp"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/gate"
	"github.com/punctual-go/punctual/timer"
)

// Wheel drives a [Dial].
//
// It is at rest or in a turn:
//
//	resting -> turning   begin: the alarm rings, or a timer is due at once
//	turning -> resting   rest: nothing is due, the alarm is set, and the intake is empty
type Wheel struct {
	clock  clock.Clock
	tick   int64                // in nanoseconds
	limit  int64                // of pending; 0 means none
	hand   func(f func()) error // the executor; nil means a goroutine for each timer
	panics func(value any, stack []byte)

	pending atomic.Int64 // timers armed and not begun
	intake  intake
	closed  atomic.Bool // written with the lock held

	// wake is when the wheel will look by itself: awake during a turn, clock.Never when there is
	// nothing to wait for. Whoever arms a timer for an earlier time makes it look.
	//
	// No timer is overlooked, because both sides write before they read: arm pushes, then reads
	// wake; rest sets wake, then reads the intake. At least one of them sees the other.
	wake atomic.Int64

	// mu guards the fields below. It is not held while user code runs.
	mu      sync.Mutex
	dial    Dial
	passed  int64  // the hand: the last tick dealt with
	first   int64  // no timer in the dial has an earlier tick
	seq     uint64 // of the last timer placed
	turning bool   // a goroutine makes a turn, or is about to
	alarm   *time.Timer
	late    []arming // due, but placed after their tick had been dealt with
	wakes   uint64

	batch []arming // due and not yet handed over; owned by the turn, without the lock
}

// arming is a timer that is due, with its sort keys. The timer itself may be armed anew before the
// arming is handed over; then its seq is another.
type arming struct {
	when  int64
	seq   uint64
	timer *Timer
}

const (
	awake  int64 = -1          // no deadline is earlier, so nobody needs to make the wheel look
	noTick       = clock.Never // later than every tick

	// backlog is how many timers the intake gathers before a push moves them into the dial. It
	// bounds how many stopped timers can linger there, and spares the other pushes the lock.
	backlog = 128
)

// New returns a wheel that drives d. The configuration has been completed by [Complete].
func New(c timer.Config, d Dial) *Wheel {
	w := &Wheel{
		clock:  clock.New(0),
		tick:   int64(c.Tick),
		limit:  int64(c.PendingLimit),
		hand:   c.Executor,
		panics: c.OnPanic,
		dial:   d,
		first:  noTick,
	}
	if w.panics == nil {
		w.panics = logPanic
	}
	w.wake.Store(clock.Never)
	return w
}

// Complete returns c with the given defaults for what it leaves zero. It panics, in the name of the
// given package, on a negative value and on too many slots. With powerOfTwo the number of slots is
// rounded up to one.
func Complete(
	c timer.Config, name string, tick time.Duration, slots int, powerOfTwo bool,
) timer.Config {
	const most = 1 << 20
	switch {
	case c.Tick < 0:
		panic(fmt.Sprintf("%s: negative tick %v", name, c.Tick))
	case c.Slots < 0 || c.Slots > most:
		panic(fmt.Sprintf("%s: %d slots are not between 1 and %d", name, c.Slots, most))
	case c.PendingLimit < 0:
		panic(fmt.Sprintf("%s: negative pending limit %d", name, c.PendingLimit))
	}
	c.Tick = cmp.Or(c.Tick, tick)
	c.Slots = cmp.Or(c.Slots, slots)
	if powerOfTwo {
		n := 1
		for n < c.Slots {
			n *= 2
		}
		c.Slots = n
	}
	return c
}

// AfterFunc arms a new timer and returns it. If the wheel is closed or full, the timer is refused,
// and its Err tells.
func (w *Wheel) AfterFunc(d time.Duration, f func()) timer.Handle {
	t, _ := w.arm(d, f)
	return t
}

// Schedule is AfterFunc that returns an error instead of a refused timer.
func (w *Wheel) Schedule(d time.Duration, f func()) (timer.Handle, error) {
	t, ok := w.arm(d, f)
	if !ok {
		return nil, t.Err()
	}
	return t, nil
}

// arm makes a timer, pushes it onto the intake, and reports whether it was accepted.
func (w *Wheel) arm(d time.Duration, f func()) (t *Timer, ok bool) {
	if f == nil {
		panic("timer: nil function")
	}
	t = &Timer{wheel: w, f: f}
	if !w.admit(t) {
		return t, false
	}
	w.plan(t, w.clock.Now(), d)
	at := w.timeOf(t.tick) // not after the push, from which on t belongs to others
	t.state.Store(uint32(queued))
	depth := w.intake.push(t)
	delay.At(delay.TimerPushed)
	if w.closed.Load() {
		// If Close has found t in the intake, it is Close's to return. If t came too late for that,
		// it is refused here. The state tells which: only one of the two can disarm it.
		_, refused := t.disarm(stopped)
		return t, !refused
	}
	if at < w.wake.Load() || depth%backlog == 0 {
		w.look()
	}
	return t, true
}

// Armed returns how many timers are armed and have not begun.
func (w *Wheel) Armed() int { return int(w.pending.Load()) }

// Wakeups returns how many turns the wheel has begun.
func (w *Wheel) Wakeups() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wakes
}

// Time returns when the given tick is due.
func (w *Wheel) Time(tick int64) time.Time { return w.clock.Time(w.timeOf(tick)) }

// admit counts t as pending, or marks it as refused and reports false.
func (w *Wheel) admit(t *Timer) bool {
	if w.closed.Load() {
		t.state.Store(uint32(stopped))
		return false
	}
	if w.limit == 0 {
		w.pending.Add(1)
		return true
	}
	for { // by compare-and-swap, so that the limit is never exceeded, not even for a moment
		n := w.pending.Load()
		if n >= w.limit {
			t.state.Store(uint32(full))
			return false
		}
		if w.pending.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// plan sets the deadline of t to d from now. Without a delay t belongs to the current tick, not to
// the next one, so that it is due at once.
func (w *Wheel) plan(t *Timer, now int64, d time.Duration) {
	t.when = clock.Later(now, d)
	if d <= 0 {
		t.tick = now / w.tick
		return
	}
	t.tick = w.tickOf(t.when)
}

// tickOf returns the first tick that is not before the given time, which is positive. The sum is
// written so that it does not overflow near the end of the clock.
func (w *Wheel) tickOf(when int64) int64 { return (when-1)/w.tick + 1 }

// timeOf returns when a tick is due. Ticks past the end of the clock are due never.
func (w *Wheel) timeOf(tick int64) int64 {
	if tick > clock.Never/w.tick {
		return clock.Never
	}
	return tick * w.tick
}

// guard calls a function of the user's and reports its panic or Goexit.
func (w *Wheel) guard(f func()) { gate.Call(f, w.report) }

// report tells the handler how a function has ended. If the handler fails in turn, that is logged
// along with what it was to be told.
func (w *Wheel) report(end *gate.End) {
	value := end.Value
	if end.Exited() {
		value = timer.ErrGoexit
	}
	gate.Call(func() { w.panics(value, end.Stack) }, func(inHandler *gate.End) {
		gate.Call(func() {
			slog.Error("timer: OnPanic failed", "panic", inHandler.Value,
				"stack", string(inHandler.Stack), "untold", value)
		}, func(*gate.End) {}) // the log handler has failed: there is nothing left to tell
	})
}

// logPanic is the handler of a wheel that has been given none.
func logPanic(value any, stack []byte) {
	if value == timer.ErrGoexit {
		slog.Error("timer: callback called runtime.Goexit", "stack", string(stack))
		return
	}
	slog.Error("timer: callback panicked", "panic", value, "stack", string(stack))
}

// inOrder sorts as by deadline, then by order of arming.
func inOrder(as []arming) {
	slices.SortFunc(as, func(a, b arming) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
}
