package wheel

import (
	"context"
	"runtime/pprof"
	"slices"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
)

// The functions below are called with the lock held, unless they say otherwise.

// adopt moves the intake into the dial.
func (w *Wheel) adopt(now int64) {
	if !w.turning && w.timeOf(w.first) > now {
		w.passed = max(w.passed, now/w.tick) // nothing is left behind it
	}
	for t := w.intake.takeAll(); t != nil; {
		next := t.next
		t.next = nil
		// When the wheel is stopped, whoever has armed t will find that out, and refuse it.
		if !w.closed.Load() && t.move(queued, placed) {
			w.place(t)
		}
		t = next
	}
}

// place puts t, which is placed, into the dial, or with what is late.
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

// delay adds t, which is due, to what the turn is to hand over next. If most of that is there in vain,
// stopped or reset meanwhile, it goes: the turn may be held up for long.
func (w *Wheel) delay(t *Timer) {
	w.late = append(w.late, arming{t.when, t.seq, t})
	if len(w.late) > 2*w.Armed()+backlog {
		w.late = slices.DeleteFunc(w.late, func(a arming) bool {
			return a.seq != a.timer.seq || state(a.timer.state.Load()) != due
		})
	}
}

func (w *Wheel) number(t *Timer) {
	w.seq++
	t.seq = w.seq
}

func (w *Wheel) remove(t *Timer) {
	w.dial.Remove(t)
	t.linked = false
}

// attend sees to it that the wheel looks when the first timer is due.
func (w *Wheel) attend(now int64) {
	at := w.timeOf(w.first)
	switch {
	case w.turning: // it will
	case len(w.late) > 0, at <= now:
		w.begin()
		go w.turn()
	case at < w.wake.Load():
		w.wake.Store(at)
		w.set(at, now)
	}
}

func (w *Wheel) begin() {
	w.turning = true
	w.wakes++
	w.wake.Store(awake)
}

// set has the alarm ring at the given time.
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

// look moves the intake and attends to what was in it. It takes the lock.
func (w *Wheel) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.clock.Now()
	w.adopt(now)
	w.attend(now)
}

// unlink takes a stopped timer out of the dial. It takes the lock; t may have been armed again by
// then.
func (w *Wheel) unlink(t *Timer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.linked && !state(t.state.Load()).armed() {
		w.remove(t)
	}
}

// ring is what the alarm calls, on a goroutine of its own and without the lock.
func (w *Wheel) ring() {
	w.mu.Lock()
	if w.turning {
		w.mu.Unlock()
		return
	}
	w.begin()
	w.mu.Unlock()
	w.turn()
}

// turn hands over what is due until nothing is. There is one at a time; it does not hold the lock. An
// executor may call functions itself, and one of these may end the goroutine: then another goes on.
func (w *Wheel) turn() {
	unlabel() // it has started with those of whoever armed a timer
	over := false
	defer func() {
		if !over {
			go w.turn()
		}
	}()
	for w.next() {
		a := w.batch[0]
		w.batch[0] = arming{}
		w.batch = w.batch[1:]
		w.handOver(a)
	}
	over = true
}

// next reports whether there is anything to hand over; if not, the turn is over. It takes the lock.
func (w *Wheel) next() bool {
	if len(w.batch) > 0 {
		return true
	}
	w.batch = nil
	w.mu.Lock()
	collected := w.collect()
	w.mu.Unlock()
	if collected { // or else the batch is that of another turn, by now
		inOrder(w.batch)
	}
	return collected
}

// collect fills the batch with what is due next, or ends the turn.
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
			continue // all of them have been stopped
		}
		if w.rest(tick, now) {
			return false
		}
	}
}

// expire takes the timers of a tick out of the dial, letting go of the lock now and then.
func (w *Wheel) expire(tick, now int64) {
	for more := true; more; {
		w.passed, more = w.dial.Expire(tick, now, w.take)
		if more {
			w.mu.Unlock()
			w.mu.Lock()
		}
	}
}

func (w *Wheel) take(t *Timer) {
	t.linked = false
	if t.move(placed, due) {
		w.batch = append(w.batch, arming{t.when, t.seq, t})
	}
}

// rest ends the turn until the given tick, unless there is something in the intake: who has put it
// there believed the wheel awake.
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

// handOver gives a timer that is due to the executor. It does not hold the lock.
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

// offer gives a timer to an executor of the user's. One that panics, or ends the goroutine, has
// refused it; but it may have called the function before, which then has ended the arming.
func (w *Wheel) offer(a arming) {
	accepted := false
	defer func() {
		if !accepted {
			w.refused(a)
		}
	}()
	defer unlabel() // the functions that it has called may have left some
	w.guard(func() { accepted = w.hand(a.timer.call) == nil })
}

// unlabel takes the pprof labels off the calling goroutine.
func unlabel() { pprof.SetGoroutineLabels(context.Background()) }

// refused ends an arming that the executor has refused, unless the timer has been armed anew meanwhile: what comes
// of that one is for the executor to say when it is its turn. It takes the lock.
func (w *Wheel) refused(a arming) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.timer.seq == a.seq && a.timer.move(due, rejected) {
		w.pending.Add(-1)
	}
}
