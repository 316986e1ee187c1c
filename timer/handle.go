package timer

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// AfterFunc makes a Timer a [Scheduler]: f is a task like any other, and is called on the goroutine
// of the timer. A d of zero or less means now. On a timer that is cancelled or dead f is not armed,
// and [Err] of the handle returns [Timer.Err], as it does for one that was armed then. A nil f
// panics.
//
// Reset of the handle schedules a new task, since tasks are used once; of the task it replaces, and
// of one that Stop has cancelled, a shell without f stays queued until its time comes or
// [Timer.Purge].
func (t *Timer) AfterFunc(d time.Duration, f func()) Handle {
	h := &handle{timer: t, f: f, task: NewTask(f)}
	t.mu.Lock()
	defer t.mu.Unlock()
	h.arm(d)
	return h
}

// handle is a function that is scheduled as one task after another.
type handle struct {
	timer *Timer
	f     func()

	task *Task // the latest; the timer's lock guards it
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

// Err is what [Err] asks.
func (h *handle) Err() error {
	h.timer.mu.Lock()
	defer h.timer.mu.Unlock()
	if h.task.state.Load() != dropped {
		return nil
	}
	return h.timer.over
}

// arm schedules the task. The lock is held.
func (h *handle) arm(d time.Duration) {
	t := h.timer
	if t.queue(h.task, clock.Later(t.clock.Now(), d), once) != nil {
		h.task.state.Store(dropped)
	}
}

// disarm cancels the task and forgets its function, which the heap is not to hold. The lock is held.
func (h *handle) disarm() bool {
	if !h.task.Cancel() {
		return false
	}
	h.task.f = nil
	return true
}
