package eventloop

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
)

// Turn is a loop as seen by one of its tasks: what the task schedules through it goes straight to
// the heap, and what it cancels through it leaves the heap at once. Its methods make the same
// promises as those of [Loop].
//
// A Turn is meant for its run, on the goroutine of the loop. Elsewhere it works too, but a call
// holds up the loop while it lasts. The zero Turn has no loop: no method but Cancel may be called
// on it.
type Turn struct{ inside entry }

// Turn returns the Turn of a run, given the context of the run or one derived from it. It returns
// false for any other context, including nil, and after the run.
func (l *Loop) Turn(ctx context.Context) (Turn, bool) {
	if !l.InLoop(ctx) {
		return Turn{}, false
	}
	return Turn{entry{door: &l.door, inside: true}}, true
}

// Execute is [Loop.Execute] from inside a task.
func (t Turn) Execute(task executor.Task, opts ...executor.TaskOption) error {
	return t.inside.execute(0, task, opts)
}

// ExecuteAfter is [Loop.ExecuteAfter] from inside a task.
func (t Turn) ExecuteAfter(
	delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) error {
	return t.inside.execute(delay, task, opts)
}

// Submit is [Loop.Submit] from inside a task.
func (t Turn) Submit(
	task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return t.inside.submit(task, opts)
}

// Schedule is [Loop.Schedule] from inside a task.
func (t Turn) Schedule(
	delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.schedule(delay, task, opts)
}

// ScheduleAt is [Loop.ScheduleAt] from inside a task.
func (t Turn) ScheduleAt(
	at time.Time, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.scheduleAt(at, task, opts)
}

// Every is [Loop.Every] from inside a task.
func (t Turn) Every(
	period time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.repeat(period, period, run.Ticking, task, opts)
}

// AtFixedRate is [Loop.AtFixedRate] from inside a task.
func (t Turn) AtFixedRate(
	initial, period time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.repeat(initial, period, run.FixedRate, task, opts)
}

// WithFixedDelay is [Loop.WithFixedDelay] from inside a task.
func (t Turn) WithFixedDelay(
	initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.repeat(initial, delay, run.FixedDelay, task, opts)
}

// On is [Loop.On] from inside a task.
func (t Turn) On(
	calendar executor.Calendar, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.onCalendar(calendar, task, opts)
}

// Cancel cancels f, a future, and reports whether this call did so. A task of the same loop leaves
// the heap at once, in O(log n), instead of staying as a tombstone. For a task of another executor,
// Cancel is f.Cancel. It panics if f is nil.
func (t Turn) Cancel(f interface{ Cancel() bool }) bool {
	cancelled := f.Cancel()
	if d := t.inside.door; cancelled && d != nil {
		l := d.loop
		l.mu.Lock()
		defer l.mu.Unlock()
		l.waiting.collectLocked()
	}
	return cancelled
}
