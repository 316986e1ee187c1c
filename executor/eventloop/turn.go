package eventloop

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Turn is a loop as a task of it sees it: what a task schedules by its turn goes straight to the heap, and
// what it cancels by its turn leaves it at once. In what they promise its methods are those of [Loop].
//
// A turn is of use during its run, on the goroutine of the loop. Anywhere else it works too, but holds up
// the loop for the time of the call. The zero Turn has no loop: only Cancel may be called with it.
type Turn struct{ inside door }

// Turn returns the way in for the task of the loop whose context ctx is, or derives from. It reports false
// for any other context, and after the run.
func (l *Loop) Turn(ctx context.Context) (Turn, bool) {
	if !l.InLoop(ctx) {
		return Turn{}, false
	}
	return Turn{door{loop: l, inside: true}}, true
}

// Execute is [Loop.Execute].
func (t Turn) Execute(task executor.Task) error { return t.inside.execute(task) }

// Submit is [Loop.Submit].
func (t Turn) Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error) {
	return t.inside.submit(task, opts)
}

// Schedule is [Loop.Schedule].
func (t Turn) Schedule(delay time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.schedule(delay, task, opts)
}

// ScheduleAt is [Loop.ScheduleAt].
func (t Turn) ScheduleAt(at time.Time, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.scheduleAt(at, task, opts)
}

// AtFixedRate is [Loop.AtFixedRate].
func (t Turn) AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.fixedRate(initial, period, task, opts)
}

// WithFixedDelay is [Loop.WithFixedDelay].
func (t Turn) WithFixedDelay(initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return t.inside.fixedDelay(initial, delay, task, opts)
}

// Cancel is f.Cancel, of a future, that takes a task of the loop of t out of the heap at once, in
// O(log n), instead of leaving a tombstone. For a task of another executor it is f.Cancel.
func (t Turn) Cancel(f interface{ Cancel() bool }) bool {
	cancelled := f.Cancel()
	if l := t.inside.loop; cancelled && l != nil {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.collectLocked()
	}
	return cancelled
}
