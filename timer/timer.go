package timer

import (
	"sync"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/heap"
)

// Timer is java.util.Timer: one goroutine that runs tasks one after another, each at its time. It
// is here for comparison with its successors, and keeps the behaviour that made people leave it:
//
//   - A task that takes long delays all others.
//   - A task that panics, or calls runtime.Goexit, kills the timer, and all queued tasks are lost.
//   - Repeat looks like the fixed delay of a scheduled pool, and is not.
//   - A cancelled task stays in memory until its time comes or [Timer.Purge] is called.
//   - A task has no result.
//
// For real work use a ScheduledPool of package executor, with one worker if tasks must not overlap.
//
// Some things are better than in Java. The clock is monotonic and counts nanoseconds, so setting
// the wall clock moves nothing. Tasks of equal time run in the order they were scheduled, and a
// repeating task keeps its place in that order. A dead timer says what it died of. And the
// goroutine exists only while tasks are queued, cancelled ones included: a timer that nobody refers
// to any more runs what it holds and is then gone, unless it repeats a task, which goes on for
// ever.
//
// A task is never early. In an idle process on Linux it is up to about a millisecond late.
//
// Make a Timer with [New]; the zero Timer is not usable. It is safe for concurrent use, from its
// own tasks too, and must not be copied. A timer made inside a testing/synctest bubble runs on the
// bubble's clock and may be used there only; cancel it before the bubble ends if tasks may still be
// queued.
type Timer struct {
	name  string
	clock clock.Clock
	wake  chan struct{} // capacity 1: tells the goroutine to look at the heap again

	// mu guards the fields below and, in the tasks of the timer, those that say so. It is never
	// held while a task runs.
	mu      sync.Mutex
	heap    heap.Heap[*node] // by time, then by seq; a repeating task stays in it while it runs
	seq     uint64           // of the task scheduled last
	serving bool             // the goroutine exists
	over    error            // why no more tasks are accepted; nil as long as they are
}

// New returns a timer. The name, which may be empty, appears in the log and as the pprof label
// "timer" of its goroutine. New starts nothing.
func New(name string) *Timer {
	return &Timer{name: name, clock: clock.New(0), wake: make(chan struct{}, 1)}
}

// Schedule runs task once, when delay has passed. A delay of zero means now. A delay past the end
// of the clock, 292 years away, means never; Java refuses it. O(log n).
//
// All methods that schedule make these checks, in this order: [ErrInvalid] for a negative delay, a
// period that is not positive, or a time before 1970, such as the zero time; [Timer.Err] if the
// timer is cancelled or dead; [ErrNilTask]; [ErrTaskUsed]. A task refused for any reason but the
// last can still be scheduled.
func (t *Timer) Schedule(task *Task, delay time.Duration) error {
	return t.after(task, delay, 0, once)
}

// ScheduleAt runs task once, at the given time, or now if that has passed. The time is converted to
// the monotonic clock once, during the call: setting the wall clock later does not move the task.
func (t *Timer) ScheduleAt(task *Task, at time.Time) error {
	return t.from(task, at, 0, once)
}

// Repeat runs task when delay has passed, and then every period, counted from start to start: when
// a run begins, the next one is planned for a period later. A task that takes longer than the
// period runs again at once. If one run is late, all that follow are shifted for good.
//
// java.util.Timer calls this fixed delay. It is NOT the fixed delay of a scheduled pool, which
// counts from the end of a run.
func (t *Timer) Repeat(task *Task, delay, period time.Duration) error {
	return t.after(task, delay, period, startToStart)
}

// RepeatAt is [Timer.Repeat] with a time for the first run. If that time has passed, the first run
// is now and the others follow from it: missed runs are not made up for.
func (t *Timer) RepeatAt(task *Task, first time.Time, period time.Duration) error {
	return t.from(task, first, period, startToStart)
}

// AtFixedRate runs task when delay has passed, and then every period, counted from planned time to
// planned time. Missed runs are made up for, one right after the other, whatever held them up.
func (t *Timer) AtFixedRate(task *Task, delay, period time.Duration) error {
	return t.after(task, delay, period, planToPlan)
}

// AtFixedRateAt is [Timer.AtFixedRate] with a time for the first run. If that time has passed, all
// runs missed since then are made up for now, however many they are.
func (t *Timer) AtFixedRateAt(task *Task, first time.Time, period time.Duration) error {
	return t.from(task, first, period, planToPlan)
}

// How a task repeats is the sign of its period, as in Java.
const (
	once         = 0
	planToPlan   = 1
	startToStart = -1
)

// Cancel ends the timer. Queued tasks are dropped. A running task is not disturbed, nor waited for,
// and is the last, even if it calls Cancel itself. From now on scheduling fails with [ErrClosed].
// To cancel a timer twice, or a dead one, does nothing. O(n log n).
func (t *Timer) Cancel() { t.end(ErrClosed) }

// Purge removes all cancelled tasks from memory and returns how many there were. O(n + k log k) for
// k of them.
func (t *Timer) Purge() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	removed := t.heap.Filter(func(_ int64, n *node) bool {
		return n.state.Load() != cancelled
	})
	if t.serving && t.heap.Len() == 0 {
		t.ring() // for the goroutine to find the heap empty, and end
	}
	return len(removed)
}

// Err returns why the timer accepts no more tasks: nil as long as it does, [ErrClosed] after
// Cancel. If a task has killed the timer, the error matches ErrClosed too, and wraps what the task
// did: a [*PanicError] or [ErrGoexit].
func (t *Timer) Err() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

// after queues a task whose first run is due when delay has passed.
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

// from queues a task whose first run is due at the given time, which may have passed, and even lie
// before the timer was made: AtFixedRateAt needs it to count the runs missed.
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

// checkPeriod returns the error of a repeating task whose period is not positive.
func checkPeriod(period time.Duration, sign int64) error {
	if sign != once && period <= 0 {
		return invalid("period %v is not positive", period)
	}
	return nil
}

// later returns when+d, or Never if that is past the end of the clock. At most one of the two may
// be negative. Unlike clock.Later it takes a time before the clock's zero for what it is.
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
	// The task is this timer's from here on: nobody else can win the swap above.
	t.seq++
	task.seq, task.period, task.at = t.seq, period, when
	task.timer.Store(t)
	t.heap.Push(when, (*node)(task))
	switch {
	case !t.serving:
		t.serving = true
		go t.serve()
	case task.place == 1: // the new head: the goroutine waits for a later time
		t.ring()
	}
	return nil
}
