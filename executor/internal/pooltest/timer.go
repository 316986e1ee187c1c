package pooltest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/timer"
)

// Executor is a pool, or an event loop.
type Executor interface {
	Schedule(delay time.Duration, task executor.Task, opts ...executor.TaskOption) (
		*executor.ScheduledFuture[struct{}], error)
}

// Timer makes an executor a timer facility, so that the conformance suite of timers can be run on
// it.
type Timer struct{ Executor }

// AfterFunc implements [timer.Scheduler].
func (s Timer) AfterFunc(d time.Duration, f func()) timer.Handle {
	if f == nil {
		panic("pooltest: nil function")
	}
	h := &handle{on: s.Executor, f: f}
	h.arm(d)
	return h
}

// handle is one function, scheduled as a new task each time it is armed.
type handle struct {
	on Executor
	f  func()

	mu  sync.Mutex
	now *arming // the latest
}

// arming is one task. Whoever sets taken first decides whether it calls the function.
type arming struct {
	taken  atomic.Bool
	future *executor.ScheduledFuture[struct{}]
	err    error // of Schedule
}

// arm schedules the function. The lock is held, or nobody else has the handle yet.
func (h *handle) arm(d time.Duration) {
	a := new(arming)
	a.future, a.err = h.on.Schedule(d, func(context.Context) error {
		if a.taken.CompareAndSwap(false, true) {
			h.f()
		}
		return nil
	})
	h.now = a
}

// disarm takes back the latest task, and reports whether that had neither begun nor been dropped. A
// body that begins meanwhile finds the function taken, and does nothing.
func (h *handle) disarm() bool {
	a := h.now
	if a.err != nil || !a.taken.CompareAndSwap(false, true) {
		return false
	}
	return a.future.Stop() || a.outcome() == nil
}

// outcome returns the error of the task, or nil as long as its future is not settled.
func (a *arming) outcome() error {
	result, _ := a.future.Poll()
	return result.Err
}

// Stop implements [timer.Handle].
func (h *handle) Stop() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.disarm()
}

// Reset implements [timer.Handle].
func (h *handle) Reset(d time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	was := h.disarm()
	h.arm(d)
	return was
}

// Err is the method that [timer.Err] looks for.
func (h *handle) Err() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	err := h.now.err
	if err == nil {
		err = h.now.outcome()
	}
	switch {
	case errors.Is(err, executor.ErrShutdown):
		return timer.ErrClosed
	case errors.Is(err, executor.ErrSaturated):
		return timer.ErrSaturated
	}
	return nil
}
