package timer

import (
	"sync/atomic"
	"time"
)

// Task is a function to be scheduled on one [Timer], once: java.util.TimerTask. A task that has been
// scheduled or cancelled cannot be scheduled again, though a repeating one runs many times. It has
// no result: what its function finds out it must tell by itself. Make one with [NewTask]. It is
// safe for concurrent use.
type Task struct {
	f func()

	// The word that arbitrates between two timers that schedule the task, its Cancel, and its
	// run:
	//
	//	fresh     -> scheduled   Timer.Schedule and its kin
	//	fresh     -> cancelled   Cancel: it can never be scheduled
	//	scheduled -> executed    the only run of one that does not repeat begins
	//	scheduled -> cancelled   Cancel, also during a run of one that repeats
	//	scheduled -> dropped     the timer is cancelled, or has died
	state atomic.Uint32

	timer atomic.Pointer[Timer] // once it is scheduled

	// guarded by the lock of that timer
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

// NewTask returns a task that calls f. It panics if f is nil.
func NewTask(f func()) *Task {
	if f == nil {
		panic("timer: nil function")
	}
	return &Task{f: f}
}

// Cancel keeps the task from running again and reports whether there was a run to come: true for one
// that waits, and for one that repeats, also from inside its own run, which is then the last; false
// once the only run has begun, after a Cancel before, for a task that was not scheduled yet and now
// never can be, and for one whose timer is cancelled or dead. (Java says true for the last, though
// it has prevented nothing.) It does not wait for a run in progress.
//
// The timer keeps a cancelled task, and all that its function holds, until its time comes or
// [Timer.Purge] is called.
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

// ScheduledTime returns the time for which the run in progress, or else the last one, was planned,
// and before the first run the time planned for that: java's scheduledExecutionTime. For a task of
// [Timer.Repeat], whose plan follows its delays, it is when the run began. It is the zero time if
// the task was never scheduled.
func (k *Task) ScheduledTime() time.Time {
	t := k.timer.Load()
	if t == nil {
		return time.Time{}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.clock.Time(k.at)
}

// node is a Task as the heap sees it, so that Task shows callers no method of the heap's.
type node Task

// SetIndex is called by the heap.
func (n *node) SetIndex(i int) { n.place = i + 1 }

// Seq is called by the heap.
func (n *node) Seq() uint64 { return n.seq }
