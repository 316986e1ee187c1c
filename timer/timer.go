package timer

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/heap"
)

// Timer is java.util.Timer: one goroutine that runs tasks one after another, each at its time. It is
// here to be compared with what came after it, and keeps the behaviour that made people leave it:
//
//   - A task that takes long delays all others.
//   - A task that panics, or calls runtime.Goexit, kills the timer, and all that is queued is lost.
//   - Repeat looks like the fixed delay of a scheduled pool, and is not.
//   - A cancelled task stays in memory until its time comes, or [Timer.Purge].
//   - A task has no result.
//
// For work use a ScheduledPool of package executor, with one worker if tasks must not overlap.
//
// Some things are better than in Java. The clock is monotonic and counts nanoseconds: setting the
// wall clock moves nothing. Tasks of equal time run in the order they were scheduled in, in which a
// repeating task keeps its rank. A dead timer says what it died of. And the goroutine exists only
// while tasks are queued, cancelled ones included: a timer that is forgotten runs what it holds, and
// then nothing of it is left. One that repeats a task goes on for ever.
//
// A task is never early. In an idle process on Linux it is up to about a millisecond late.
//
// A Timer is safe for concurrent use, also from its tasks, and must be made with [New]. Made inside
// a testing/synctest bubble it lives on the bubble's clock and must be used there only; cancel it
// before the bubble ends if tasks may be queued then.
//
// One lock guards everything, and no task runs under it.
type Timer struct {
	name  string
	clock clock.Clock
	wake  chan struct{} // capacity 1: the goroutine is to look at the heap again

	// mu guards the fields below, and those of the tasks that say so.
	mu      sync.Mutex
	heap    heap.Heap[*node]
	seq     uint64
	serving bool  // there is a goroutine
	over    error // why it takes no more tasks; nil while it does
}

// New returns a timer. Its name, which may be empty, appears in the log, and as the pprof label
// "timer" of its goroutine.
func New(name string) *Timer {
	return &Timer{name: name, clock: clock.New(0), wake: make(chan struct{}, 1)}
}

// Schedule runs task once, when delay has passed. A delay past the end of the clock, 292 years away,
// means never; Java refuses it.
//
// The checks of all methods that schedule come in this order: [ErrInvalid] for a negative delay, for
// a period that is not positive, and for a time before 1970, such as the zero one; [Timer.Err] if the
// timer is cancelled or dead; [ErrNilTask]; [ErrTaskUsed]. A task that was refused for anything but
// the last can still be scheduled. O(log n).
func (t *Timer) Schedule(task *Task, delay time.Duration) error {
	return t.after(task, delay, 0, once)
}

// ScheduleAt runs task once, at the given time, or now if that has gone by. The time is turned into
// one of the monotonic clock once, at the call.
func (t *Timer) ScheduleAt(task *Task, at time.Time) error {
	return t.from(task, at, 0, once)
}

// Repeat runs task first when delay has passed, and then every period, counted from start to start:
// the next run is planned when one begins, for a period later. This is what java.util.Timer calls
// fixed delay, and NOT WithFixedDelay of a scheduled pool, which counts from the end of a run. A
// task that takes longer than the period runs again at once. Every delay shifts all runs that
// follow, for good.
func (t *Timer) Repeat(task *Task, delay, period time.Duration) error {
	return t.after(task, delay, period, startToStart)
}

// RepeatAt is [Timer.Repeat] with the time of the first run. If that has gone by the first run is
// now, and the others follow from it: what was missed is not made up for.
func (t *Timer) RepeatAt(task *Task, first time.Time, period time.Duration) error {
	return t.from(task, first, period, startToStart)
}

// AtFixedRate runs task first when delay has passed, and then every period, counted from plan to
// plan. Runs that are late, for whatever reason, are made up for, one right after the other.
func (t *Timer) AtFixedRate(task *Task, delay, period time.Duration) error {
	return t.after(task, delay, period, planToPlan)
}

// AtFixedRateAt is [Timer.AtFixedRate] with the time of the first run. If that has gone by all runs
// missed since are made up for now, however many they are.
func (t *Timer) AtFixedRateAt(task *Task, first time.Time, period time.Duration) error {
	return t.from(task, first, period, planToPlan)
}

// How a task repeats: the sign of its period.
const (
	once         = 0
	planToPlan   = 1
	startToStart = -1
)

// Cancel ends the timer. Queued tasks are dropped; one that runs is not disturbed, and is the last,
// also if it calls Cancel itself. Scheduling fails with [ErrClosed] from now on. Cancelling twice,
// or a dead timer, is harmless. It does not wait for a run in progress. O(n log n).
func (t *Timer) Cancel() { t.end(ErrClosed) }

// Purge removes the cancelled tasks and returns how many they were. O(n + k log k) for k of them.
func (t *Timer) Purge() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	removed := t.heap.Filter(func(_ int64, n *node) bool {
		return n.state.Load() != cancelled
	})
	if t.serving && t.heap.Len() == 0 {
		t.ring() // for the goroutine to end
	}
	return len(removed)
}

// Err returns why the timer takes no more tasks: nil while it does, [ErrClosed] after Cancel. If a
// task has killed it the error matches ErrClosed too, and holds what the task has done: a
// [*PanicError] or [ErrGoexit].
func (t *Timer) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// after queues a task to run first when delay has passed.
func (t *Timer) after(task *Task, delay, period time.Duration, sign int64) error {
	if delay < 0 {
		return invalid("negative delay %v", delay)
	}
	if err := checkPeriod(period, sign); err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue(task, later(t.clock.Now(), int64(delay)), sign*int64(period))
}

// from queues a task to run first at the given time, which may have gone by, even before the timer
// was made.
func (t *Timer) from(task *Task, first time.Time, period time.Duration, sign int64) error {
	if err := checkPeriod(period, sign); err != nil {
		return err
	}
	if first.Before(time.Unix(0, 0)) {
		return invalid("time %v is before 1970", first)
	}
	now := time.Now()
	when := later(int64(now.Sub(t.clock.Time(0))), int64(first.Sub(now)))
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.queue(task, when, sign*int64(period))
}

func checkPeriod(period time.Duration, sign int64) error {
	if sign != once && period <= 0 {
		return invalid("period %v is not positive", period)
	}
	return nil
}

// later returns when+d, or Never if that is past the end of the clock. Only one of the two may be
// negative.
func later(when, d int64) int64 {
	if d < 0 || when < 0 {
		return when + d
	}
	return clock.Later(when, time.Duration(d))
}

// queue adds a task to the heap. The lock is held.
func (t *Timer) queue(task *Task, when, period int64) error {
	switch {
	case t.over != nil:
		return t.over
	case task == nil, task.f == nil: // the zero Task has nothing to run
		return ErrNilTask
	case !task.state.CompareAndSwap(fresh, scheduled):
		return ErrTaskUsed
	}
	t.seq++
	task.seq, task.period, task.at = t.seq, period, when
	task.timer.Store(t)
	t.heap.Push(when, (*node)(task))
	switch {
	case !t.serving:
		t.serving = true
		go t.serve()
	case task.place == 1:
		t.ring()
	}
	return nil
}
