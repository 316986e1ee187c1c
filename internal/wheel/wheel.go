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
	"github.com/punctual-go/punctual/internal/panics"
	"github.com/punctual-go/punctual/timer"
)

// Wheel drives a [Dial].
type Wheel struct {
	clock  clock.Clock
	tick   int64
	limit  int64 // of pending; 0 means none
	hand   func(f func()) error
	panics func(value any, stack []byte)

	pending atomic.Int64 // armed and not begun
	intake  intake
	closed  atomic.Bool // set with the lock held

	// wake is when the wheel will look by itself: awake during a turn, clock.Never when there is
	// nothing to wait for. Who arms a timer for an earlier time has it look. To read it after the
	// push, and the intake after it is set, is what keeps a timer from being overlooked.
	wake atomic.Int64

	mu      sync.Mutex // guards the fields below
	dial    Dial
	passed  int64  // the hand: the last tick dealt with
	first   int64  // no timer in the dial has an earlier tick
	seq     uint64 // of the last timer placed
	turning bool   // a goroutine makes a turn
	alarm   *time.Timer
	late    []arming // due, and their tick has been dealt with
	wakes   uint64

	batch []arming // due and not yet handed over; the turn's own
}

// arming is a timer that is due, with what it is sorted by.
type arming struct {
	when  int64
	seq   uint64
	timer *Timer
}

const (
	awake  int64 = -1
	noTick       = clock.Never

	// backlog is how many timers the intake holds before who pushes moves them: so many stopped
	// ones may be kept.
	backlog = 128
)

// New returns a wheel on the given dial. The configuration has been completed by [Complete].
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

// Complete fills in what c leaves open, and panics on what makes no sense. Slots are rounded up to a
// power of two if asked for.
func Complete(c timer.Config, name string, tick time.Duration, slots int, powerOfTwo bool) timer.Config {
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

// AfterFunc arms a timer, or returns one that is refused.
func (w *Wheel) AfterFunc(d time.Duration, f func()) timer.Handle {
	t, _ := w.arm(d, f)
	return t
}

// Schedule is AfterFunc that returns an error instead of a timer that is refused.
func (w *Wheel) Schedule(d time.Duration, f func()) (timer.Handle, error) {
	t, ok := w.arm(d, f)
	if !ok {
		return nil, t.Err()
	}
	return t, nil
}

// arm makes a timer and reports whether it is accepted.
func (w *Wheel) arm(d time.Duration, f func()) (t *Timer, ok bool) {
	if f == nil {
		panic("timer: nil function")
	}
	t = &Timer{wheel: w, f: f}
	if !w.admit(t) {
		return t, false
	}
	w.plan(t, w.clock.Now(), d)
	at := w.timeOf(t.tick) // t is others' once it is pushed
	t.state.Store(uint32(queued))
	depth := w.intake.push(t)
	delay.At(delay.TimerPushed)
	if w.closed.Load() {
		// Either it came after the last that Close has found, and is refused here; or it came before, and
		// Close has it.
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

// Wakeups returns how many turns the wheel has made.
func (w *Wheel) Wakeups() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.wakes
}

// Time returns when the given tick is due.
func (w *Wheel) Time(tick int64) time.Time { return w.clock.Time(w.timeOf(tick)) }

// admit counts t in, or marks it as refused.
func (w *Wheel) admit(t *Timer) bool {
	if w.closed.Load() {
		t.state.Store(uint32(stopped))
		return false
	}
	if w.limit == 0 {
		w.pending.Add(1)
		return true
	}
	for {
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

// plan sets the time of t to d from now.
func (w *Wheel) plan(t *Timer, now int64, d time.Duration) {
	t.when = clock.Later(now, d)
	if d <= 0 {
		t.tick = now / w.tick
		return
	}
	t.tick = w.tickOf(t.when)
}

// tickOf returns the first tick that is not before the given time, which is positive.
func (w *Wheel) tickOf(when int64) int64 { return (when-1)/w.tick + 1 }

// timeOf returns when a tick is due.
func (w *Wheel) timeOf(tick int64) int64 {
	if tick > clock.Never/w.tick {
		return clock.Never
	}
	return tick * w.tick
}

// guard calls a function of the user's, and tells of its panic.
func (w *Wheel) guard(f func()) {
	p := panics.Call(f)
	if p == nil {
		return
	}
	defer func() { _ = recover() }() // a panic of the handler's own harms nobody either
	w.panics(p.Value, p.Stack)
}

func logPanic(value any, stack []byte) {
	slog.Error("timer: callback panicked", "panic", value, "stack", string(stack))
}

// inOrder sorts by deadline, then by arming.
func inOrder(as []arming) {
	slices.SortFunc(as, func(a, b arming) int {
		return cmp.Or(cmp.Compare(a.when, b.when), cmp.Compare(a.seq, b.seq))
	})
}
