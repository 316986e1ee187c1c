package timer

import (
	"context"
	"runtime/pprof"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/gate"
)

// serve runs the tasks of the timer, on a goroutine of its own that ends when none are left:
//
//	waiting -> running   the first task in the heap is due
//	running -> waiting   it has returned
//	waiting -> gone      the heap is empty
//	running -> gone      the task panics or calls Goexit: the timer is dead
func (t *Timer) serve() {
	labels := t.labels()
	pprof.SetGoroutineLabels(labels) // not those inherited from whoever scheduled the first task
	alarm := time.NewTimer(time.Duration(clock.Never))
	defer alarm.Stop()
	cause := ErrGoexit // unless the loop ends in another way: a Goexit runs only the deferred call
	defer func() {
		if cause != nil {
			t.die(cause)
		}
	}()
	for run := t.next(alarm); run != nil; run = t.next(alarm) {
		delay.At(delay.TimerTaken)
		failed := false
		gate.Call(run, func(end *gate.End) {
			failed = true
			if !end.Exited() {
				cause = newPanicError(end.Value, end.Stack)
			}
		})
		if failed {
			return
		}
		pprof.SetGoroutineLabels(labels) // the task may have set others
	}
	cause = nil
}

// labels returns a context that carries the pprof labels of the timer's goroutine.
func (t *Timer) labels() context.Context {
	if t.name == "" {
		return context.Background()
	}
	return pprof.WithLabels(context.Background(), pprof.Labels("timer", t.name))
}

// next waits until a task is due and returns its function. It returns nil when none is queued, and
// then the goroutine must end: the next task to be scheduled starts another.
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

// begin takes a due task out of the heap or, if it repeats, plans its next run. As in Java the plan
// is made before this run begins, so a repeating task stays in the heap while it runs. It reports
// false if the task has been cancelled. The lock is held.
func (t *Timer) begin(k *Task, when, now int64) bool {
	switch {
	case k.period == once:
		t.heap.Pop()
		return k.state.CompareAndSwap(scheduled, executed)
	case k.period < 0: // startToStart
		k.at = now
	default: // planToPlan
		k.at = when
	}
	t.heap.Update(0, later(k.at, max(k.period, -k.period)))
	return true
}

// wait returns at the time when, or as soon as the heap must be looked at again. The lock is not
// held.
func (t *Timer) wait(alarm *time.Timer, when, now int64) {
	if when == clock.Never { // an alarm would be for nothing
		<-t.wake
		return
	}
	alarm.Reset(time.Duration(when - now))
	select {
	case <-alarm.C:
	case <-t.wake:
	}
}

// ring makes the goroutine, if there is one, look at the heap again. One ring is enough for any
// number of changes, so a full channel is left as it is.
func (t *Timer) ring() {
	select {
	case t.wake <- struct{}{}:
	default:
	}
}
