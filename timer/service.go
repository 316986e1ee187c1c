package timer

import (
	"context"
	"runtime/pprof"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/panics"
)

// serve runs the tasks of the timer, on a goroutine of its own that ends when there are none left:
//
//	waiting -> running   the first task of the heap is due
//	running -> waiting   it has returned
//	waiting -> gone      the heap is empty
//	running -> gone      the task panics, or calls Goexit: the timer is dead
func (t *Timer) serve() {
	labels := t.labels()
	pprof.SetGoroutineLabels(labels) // it has started with those of whoever scheduled
	alarm := time.NewTimer(time.Duration(clock.Never))
	defer alarm.Stop()
	cause := ErrGoexit // if nothing else ends the loop
	defer func() {
		if cause != nil {
			t.die(cause)
		}
	}()
	for run := t.next(alarm); run != nil; run = t.next(alarm) {
		delay.At(delay.TimerTaken)
		if p := panics.Call(run); p != nil {
			cause = newPanicError(p.Value, p.Stack)
			return
		}
		pprof.SetGoroutineLabels(labels) // the task may have left others
	}
	cause = nil
}

// labels returns a context with those of the goroutine.
func (t *Timer) labels() context.Context {
	if t.name == "" {
		return context.Background()
	}
	return pprof.WithLabels(context.Background(), pprof.Labels("timer", t.name))
}

// next waits until a task is due and returns its function, or nil when none is queued.
func (t *Timer) next(alarm *time.Timer) func() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.heap.Len() > 0 {
		when, n := t.heap.Min()
		now := t.clock.Now()
		switch k := (*Task)(n); {
		case k.state.Load() == cancelled:
			t.heap.Pop()
		case when > now:
			t.mu.Unlock()
			t.wait(alarm, when, now)
			t.mu.Lock()
		case t.begin(k, when, now):
			return k.f
		}
	}
	t.serving = false
	return nil
}

// begin takes a task that is due out of the heap, or plans its next run: before this one begins, as
// Java does. It reports false if the task has been cancelled. The lock is held.
func (t *Timer) begin(k *Task, when, now int64) bool {
	switch {
	case k.period == once:
		t.heap.Pop()
		return k.state.CompareAndSwap(scheduled, executed)
	case k.period < 0:
		k.at = now
	default:
		k.at = when
	}
	t.heap.Update(0, later(k.at, max(k.period, -k.period)))
	return true
}

// wait returns at the time when, or when the heap is to be looked at again. The lock is not held.
func (t *Timer) wait(alarm *time.Timer, when, now int64) {
	if when == clock.Never {
		<-t.wake
		return
	}
	alarm.Reset(time.Duration(when - now))
	select {
	case <-alarm.C:
	case <-t.wake:
	}
}

// ring has the goroutine, if there is one, look at the heap again.
func (t *Timer) ring() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
