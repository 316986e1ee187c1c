package wheel

import (
	"context"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/gate"
)

// The functions below are called with the lock held, unless they say otherwise.

// adopt moves all timers from the intake into the dial.
func (w *Wheel) adopt(now int64) {
	// A wheel that has been at rest catches up with the clock first, so that a dial measures
	// distances from now. It may not if a timer is due: the hand would pass it.
	if !w.turning && w.timeOf(w.first) > now {
		w.passed = max(w.passed, now/w.tick)
	}
	for t := w.intake.takeAll(); t != nil; {
		next := t.next
		t.next = nil
		// On a closed wheel whoever arms t is about to see that, and to refuse t.
		if !w.closed.Load() && t.move(queued, placed) {
			w.place(t)
		}
		t = next
	}
}

// place puts t, which is in state placed, into the dial; or, if the hand has passed its tick, among
// what is late.
func (w *Wheel) place(t *Timer) {
	w.number(t)
	if t.tick > w.passed {
		w.dial.Add(t, w.passed)
		t.linked = true
		w.first = min(w.first, t.tick)
		return
	}
	if t.move(placed, due) {
		w.delay(t)
	}
}

// delay adds t, which is in state due, to what the turn hands over next. An executor may hold up
// the turn for long while timers are armed without a delay and stopped or reset again: once most of
// what is late is such waste, it is thrown out.
func (w *Wheel) delay(t *Timer) {
	w.late = append(w.late, arming{t.when, t.seq, t})
	if len(w.late) > 2*w.Armed()+backlog {
		w.late = slices.DeleteFunc(w.late, func(a arming) bool {
			return a.seq != a.timer.seq || state(a.timer.state.Load()) != due
		})
	}
}

// number gives t its place among timers of equal deadline, and its arming an identity.
func (w *Wheel) number(t *Timer) {
	w.seq++
	t.seq = w.seq
}

// remove takes t out of the dial.
func (w *Wheel) remove(t *Timer) {
	w.dial.Remove(t)
	t.linked = false
}

// attend makes sure that the wheel looks when the first timer is due. It only ever brings the alarm
// forward: after a removal the alarm rings once for nothing, which is cheaper than to set it.
func (w *Wheel) attend(now int64) {
	at := w.timeOf(w.first)
	switch {
	case w.turning: // the turn looks before it rests
	case len(w.late) > 0, at <= now:
		w.begin()
		go w.turn()
	case at < w.wake.Load():
		w.wake.Store(at)
		w.set(at, now)
	}
}

// begin marks the wheel as being in a turn. The caller starts or becomes its goroutine.
func (w *Wheel) begin() {
	w.turning = true
	w.wakes++
	w.wake.Store(awake)
}

// set makes the alarm ring at the given time, or not at all if that is Never.
func (w *Wheel) set(at, now int64) {
	d := time.Duration(at - now)
	switch {
	case w.alarm != nil && at == clock.Never:
		w.alarm.Stop()
	case w.alarm != nil:
		w.alarm.Reset(d)
	case at != clock.Never:
		w.alarm = time.AfterFunc(d, w.ring)
	}
}

// look empties the intake and attends to what was in it. It takes the lock.
func (w *Wheel) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	w.adopt(now)
	w.attend(now)
}

// unlink takes a stopped timer out of the dial. It takes the lock; by then t may have been armed
// again, and stays.
func (w *Wheel) unlink(t *Timer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.linked && !state(t.state.Load()).armed() {
		w.remove(t)
	}
}

// ring is what the alarm calls, on a goroutine of its own and without the lock. It makes a turn.
func (w *Wheel) ring() {
	w.mu.Lock()
	if w.turning { // the alarm had begun to ring when another turn began
		w.mu.Unlock()
		return
	}
	w.begin()
	w.mu.Unlock()
	w.turn()
}

// turn hands over what is due until nothing is. There is one turn at a time. It runs without the
// lock.
//
// An executor may call functions on this goroutine, and one of them may end it by runtime.Goexit.
// Then another goroutine goes on with the turn.
func (w *Wheel) turn() {
	unlabel() // the goroutine inherits the labels of whoever armed a timer
	over := false
	defer func() {
		if !over {
			go w.turn()
		}
	}()
	for w.next() {
		a := w.batch[0]
		w.batch[0] = arming{} // so that the batch does not retain the timer
		w.batch = w.batch[1:] // before the hand-over, which may not return
		w.handOver(a)
	}
	over = true
}

// next refills an empty batch and reports whether there is anything to hand over. If not, the turn
// is over, and another may have begun by the time next returns. It takes the lock.
func (w *Wheel) next() bool {
	if len(w.batch) > 0 {
		return true
	}
	w.batch = nil
	w.mu.Lock()
	collected := w.collect()
	w.mu.Unlock()
	if collected { // otherwise the batch may belong to another turn by now
		inOrder(w.batch) // without the lock: sorting many may take long
	}
	return collected
}

// collect fills the batch with what is due next, or ends the turn and reports false. What is late
// goes first: its time is that of a tick dealt with already.
func (w *Wheel) collect() bool {
	for {
		now := w.clock.Now()
		w.adopt(now)
		if len(w.late) > 0 {
			w.batch, w.late = w.late, nil
			return true
		}
		tick, ok := w.dial.Next(w.passed)
		if !ok {
			tick = noTick
		}
		if tick <= now/w.tick {
			w.expire(tick, now/w.tick)
			if len(w.batch) > 0 {
				return true
			}
			continue // all of the tick were stopped or reset, or the tick was a bound only
		}
		if w.rest(tick, now) {
			return false
		}
	}
}

// expire takes the timers of a tick out of the dial, and lets go of the lock between two pieces, so
// that others can arm and stop timers meanwhile.
func (w *Wheel) expire(tick, now int64) {
	for more := true; more; {
		w.passed, more = w.dial.Expire(tick, now, w.take)
		if more {
			w.mu.Unlock()
			w.mu.Lock()
		}
	}
}

// take adds a timer that the dial gives out to the batch, unless it has just been stopped.
func (w *Wheel) take(t *Timer) {
	t.linked = false
	if t.move(placed, due) {
		w.batch = append(w.batch, arming{t.when, t.seq, t})
	}
}

// rest ends the turn and sets the alarm for the given tick, unless there is anything in the intake:
// whoever put it there believed the wheel to be awake, and will not make it look. The order
// matters: see Wheel.wake.
func (w *Wheel) rest(tick, now int64) bool {
	w.first = tick
	at := w.timeOf(tick)
	w.wake.Store(at)
	delay.At(delay.WheelRestsLocked)
	if !w.intake.empty() {
		w.wake.Store(awake)
		return false
	}
	w.turning = false
	w.set(at, now)
	return true
}

// handOver gives a timer that is due to the executor. The lock is not held.
func (w *Wheel) handOver(a arming) {
	t := a.timer
	delay.At(delay.TimerDue)
	switch {
	case state(t.state.Load()) != due: // stopped, or reset, meanwhile
	case w.hand == nil:
		go t.call()
	default:
		w.offer(a)
	}
}

// offer gives a timer to the user's executor. An executor that panics or ends the goroutine has
// refused the timer, unless it had called the function before: that has ended the arming, and
// refused then finds nothing to do.
func (w *Wheel) offer(a arming) {
	accepted := false
	defer func() {
		if !accepted {
			w.refused(a)
		}
	}()
	defer unlabel() // a function that the executor called on this goroutine may have set some
	hand := func() { accepted = w.hand(a.timer.call) == nil }
	gate.Call(hand, func(end *gate.End) {
		// A Goexit of the function that the executor has called goes on here, and is told already.
		if !end.Exited() || w.waits(a) {
			w.report(end)
		}
	})
}

// waits reports whether an arming that has been given to the executor has not been called yet. The
// timer may have been armed anew since, and be due again. It takes the lock.
func (w *Wheel) waits(a arming) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return a.timer.seq == a.seq && state(a.timer.state.Load()) == due
}

// unlabel removes all pprof labels from the calling goroutine.
func unlabel() { pprof.SetGoroutineLabels(context.Background()) }

// refused ends an arming that the executor has refused, unless the timer has been armed anew
// meanwhile: that arming will be offered to the executor by itself. It takes the lock.
func (w *Wheel) refused(a arming) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.timer.seq == a.seq && a.timer.move(due, rejected) {
		w.pending.Add(-1)
	}
}
