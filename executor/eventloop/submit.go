package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Execute queues task to run after what is due already. There is no future: a failure goes to the error
// handler. It returns [executor.ErrNilTask], or [executor.ErrShutdown] for a task that will not run. One
// allocation.
func (l *Loop) Execute(task executor.Task) error { return door{loop: l}.execute(task) }

// Submit is Execute with a future for the outcome. It also returns [executor.ErrInvalid] for a bad option.
func (l *Loop) Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error) {
	return door{loop: l}.submit(task, opts)
}

// Submit queues fn on l to run as soon as may be and returns the future of its result. Errors are those of
// [Loop.Submit].
func Submit[V any](l *Loop, fn future.Func[V], opts ...executor.TaskOption) (*future.Future[V], error) {
	if fn == nil {
		return nil, executor.ErrNilTask
	}
	n := newSubmitted[V](l)
	if err := (door{loop: l}).enterNow(&n.link, (*cell.Core[V])(&n.future).Bind(fn), opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// Schedule runs task once, delay from now. A delay of zero or less means now; one past the end of the
// clock, 292 years, means never. It returns [executor.ErrNilTask], [executor.ErrInvalid] for a bad option,
// or [executor.ErrShutdown] for a task that will not run. One allocation, if there are no options.
func (l *Loop) Schedule(delay time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return door{loop: l}.schedule(delay, task, opts)
}

// Schedule runs fn once, delay from now, and returns the future of its result. See [Loop.Schedule].
func Schedule[V any](l *Loop, delay time.Duration, fn future.Func[V], opts ...executor.TaskOption) (*executor.ScheduledFuture[V], error) {
	if fn == nil {
		return nil, executor.ErrNilTask
	}
	n := newScheduled[V](l)
	if err := (door{loop: l}).enterAfter(&n.link, delay, (*cell.Core[V])(n.future.Future).Bind(fn), opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// ScheduleAt runs task once at the given time, or now if that has gone by. The time is turned into a delay
// once, at the call: setting the wall clock later does not move the task. Errors are those of
// [Loop.Schedule].
func (l *Loop) ScheduleAt(at time.Time, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return door{loop: l}.scheduleAt(at, task, opts)
}

// AtFixedRate runs task after the initial delay and then every period: run n is planned for the time of
// the first plus n periods, whenever the others really ran. What happens when runs are late is up to
// [executor.CatchUp]; by default every period gets its run, late ones back to back.
//
// The series ends when it is cancelled, when the loop is shut down, after [executor.MaxRuns], and,
// unless [executor.OnError] says otherwise, with a run that panics; then the future fails with
// that, the error handler is told, and a record is logged. A run that returns an error, or outlives
// its time-out, does not end it: that is told to the error handler, or else the first of a row of
// failures is logged, and few of the others.
//
// It returns [executor.ErrNilTask], [executor.ErrInvalid] for a period that is not positive or a bad
// option, or [executor.ErrShutdown]. An initial delay is taken as by Schedule; a huge period means that
// there is one run.
func (l *Loop) AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return door{loop: l}.fixedRate(initial, period, task, opts)
}

// WithFixedDelay runs task after the initial delay, and again each time delay has passed since its last run
// ended. All else is as for [Loop.AtFixedRate], but that there is nothing to catch up with.
func (l *Loop) WithFixedDelay(initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error) {
	return door{loop: l}.fixedDelay(initial, delay, task, opts)
}
