package timer

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// AfterFunc calls f once, on the goroutine of the timer, when d has passed. It makes a Timer a
// [Scheduler]: f becomes a task like any other. A d of zero or less means now. A nil f panics.
//
// On a timer that is cancelled or dead, f is not armed, and [Err] of the handle returns what
// [Timer.Err] does. So it does for a function that was pending when the timer was cancelled or
// died.
//
// Reset of the handle schedules a new task, since a task can be used only once. The task it
// replaces, or one cancelled by Stop, stays queued as an empty shell, without f, until its time
// comes or [Timer.Purge] is called.
func (t *Timer) AfterFunc(d time.Duration, f func()) Handle {
	h := &handle{timer: t, f: f, task: NewTask(f)}
	t.mu.Lock()
	defer t.mu.Unlock()
	h.arm(d)
	return h
}

// handle is one function, scheduled as a new task each time it is armed.
type handle struct {
	timer *Timer
	f     func()

	task *Task // the latest; guarded by timer.mu
}

// Stop implements [Handle].
func (h *handle) Stop() bool {
	h.timer.mu.Lock()
	defer h.timer.mu.Unlock()
	return h.disarm()
}

// Reset implements [Handle].
func (h *handle) Reset(d time.Duration) bool {
	task := NewTask(h.f)
	h.timer.mu.Lock()
	defer h.timer.mu.Unlock()
	armed := h.disarm()
	h.task = task
	h.arm(d)
	return armed
}

// Err is the method that [Err] looks for.
func (h *handle) Err() error {
	h.timer.mu.Lock()
	defer h.timer.mu.Unlock()
	if h.task.state.Load() != dropped {
		return nil
	}
	return h.timer.over
}

// arm schedules the latest task. The lock of the timer is held.
func (h *handle) arm(d time.Duration) {
	t := h.timer
	if t.queue(h.task, clock.Later(t.clock.Now(), d), once) != nil {
		h.task.state.Store(dropped)
	}
}

// disarm cancels the latest task and drops its function, so that the heap, where the task stays,
// does not retain it. The lock of the timer is held.
func (h *handle) disarm() bool {
	if !h.task.Cancel() {
		return false
	}
	h.task.f = nil
	return true
}
