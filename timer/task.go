package timer

import (
	"sync/atomic"
	"time"
)

// Task is a function to be scheduled on a [Timer]: java.util.TimerTask. It can be scheduled once: a
// task that was scheduled or cancelled before is refused, though a repeating task runs many times.
// It has no result. Make one with [NewTask]; the zero Task is refused too. It is safe for
// concurrent use and must not be copied.
type Task struct {
	f func()

	// state arbitrates between two timers that schedule the task, its Cancel, and its run:
	//
	//	fresh     -> scheduled   a scheduling method of Timer
	//	fresh     -> cancelled   Cancel: it can never be scheduled
	//	scheduled -> executed    the run of a task that does not repeat begins
	//	scheduled -> cancelled   Cancel; also during a run of a task that repeats
	//	scheduled -> dropped     the timer is cancelled, or dies
	state atomic.Uint32

	timer atomic.Pointer[Timer] // nil until the task is scheduled

	// The lock of that timer guards the fields below.
	seq    uint64
	place  int   // 1 + index in the heap; 0 when out of it
	period int64 // 0 once, positive for a fixed rate, negative from start to start
	at     int64 // see ScheduledTime
}

const (
	fresh uint32 = iota
	scheduled
	executed
	cancelled
	dropped
)

// NewTask returns a task that calls f. A nil f panics.
func NewTask(f func()) *Task {
	if f == nil {
		panic("timer: nil function")
	}
	return &Task{f: f}
}

// Cancel keeps the task from running again and reports whether it prevented a run. It does not wait
// for a run in progress.
//
// It is true for a task that waits for its run, and for a repeating task, even when called from the
// task itself, whose run is then the last. It is false if the only run has begun, if the task was
// cancelled before, or if its timer is cancelled or dead. (In that case Java returns true, though
// nothing was prevented.) It is also false for a task that was never scheduled, which can then
// never be.
//
// The timer keeps a cancelled task, and everything its function refers to, until the task's time
// comes or [Timer.Purge] is called.
func (k *Task) Cancel() bool {
	for {
		switch s := k.state.Load(); s {
		case fresh, scheduled:
			if k.state.CompareAndSwap(s, cancelled) {
				return s == scheduled
			}
		default:
			return false
		}
	}
}

// ScheduledTime returns the time for which the current run was planned, or if none is in progress
// the last one; before the first run, the time planned for that. It is Java's
// scheduledExecutionTime. For a task of [Timer.Repeat], whose plan follows its delays, it is the
// time at which the run began. It is the zero time if the task was never scheduled.
func (k *Task) ScheduledTime() time.Time {
	t := k.timer.Load()
	if t == nil {
		return time.Time{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clock.Time(k.at)
}

// node is a Task as the heap sees it. It keeps the heap's methods out of the public Task.
type node Task

// SetIndex is called by the heap, with -1 when the node leaves it.
func (n *node) SetIndex(i int) { n.place = i + 1 }

// Seq is called by the heap, to order nodes of equal time.
func (n *node) Seq() uint64 { return n.seq }
