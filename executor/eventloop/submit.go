package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
)

// Execute queues task to run now, after what is already due. It has no future: a failure goes to
// the error handler, or to the log; a run that exceeds its timeout is reported at that moment.
// Execute returns [executor.ErrNilTask], [executor.ErrInvalid] for a bad option, or
// [executor.ErrShutdown] if the loop refuses tasks. Without options it costs one allocation.
func (l *Loop) Execute(task executor.Task, opts ...executor.TaskOption) error {
	return entry{door: &l.door}.execute(0, task, opts)
}

// ExecuteAfter is [Loop.Schedule] without a future: a failure goes where that of [Loop.Execute]
// goes, and nothing can cancel the task but a shutdown.
func (l *Loop) ExecuteAfter(
	delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) error {
	return entry{door: &l.door}.execute(delay, task, opts)
}

// Submit is [Loop.Execute] with a future for the outcome. Its errors are those of Execute.
func (l *Loop) Submit(
	task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return entry{door: &l.door}.submit(task, opts)
}

// Submit queues fn on l to run now, and returns the future of its result. Errors are those of
// [Loop.Submit].
func Submit[V any](
	l *Loop, fn future.Func[V], opts ...executor.TaskOption,
) (*future.Future[V], error) {
	if fn == nil {
		return nil, l.door.misused(opts, executor.ErrNilTask)
	}
	n := newSubmitted[V](&l.door)
	body := submitter.Bind(&n.future, fn)
	if err := (entry{door: &l.door}).enterNow(&n.link, body, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// Schedule runs task once, after delay. A delay of zero or less means now; one that reaches beyond
// the end of the clock, 292 years, means never. Schedule returns [executor.ErrNilTask],
// [executor.ErrInvalid] for a bad option, or [executor.ErrShutdown] if the loop refuses tasks. It
// costs one allocation if there are no options.
func (l *Loop) Schedule(
	delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.schedule(delay, task, opts)
}

// Schedule runs fn once, after delay, and returns the future of its result. See [Loop.Schedule].
func Schedule[V any](
	l *Loop, delay time.Duration, fn future.Func[V], opts ...executor.TaskOption,
) (*executor.ScheduledFuture[V], error) {
	if fn == nil {
		return nil, l.door.misused(opts, executor.ErrNilTask)
	}
	n := newScheduled[V](&l.door)
	body := submitter.Bind(n.future.Future, fn)
	if err := (entry{door: &l.door}).enterAfter(&n.link, delay, body, opts); err != nil {
		return nil, err
	}
	return &n.future, nil
}

// ScheduleAt runs task once at the given time, or now if that is past, as the zero time is. The
// time is converted to a delay when ScheduleAt is called: setting the wall clock afterwards does
// not move the task, unless the option [executor.WallClock] is given. Errors are those of
// [Loop.Schedule].
func (l *Loop) ScheduleAt(
	at time.Time, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.scheduleAt(at, task, opts)
}

// Every runs task every period, as a ticker would: the first time after one period, and after a
// stall once, told by [executor.Run] how many runs that one stands for. It is
// [executor.ScheduledPool.Every] for a loop.
func (l *Loop) Every(
	period time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.repeat(period, period, run.Ticking, task, opts)
}

// AtFixedRate runs task after the initial delay and then every period: run n is planned for the
// time of the first run plus n periods, whenever the others really ran. [executor.CatchUp] says
// what happens when runs are late; by default every period gets its run, late ones back to back.
//
// The series ends when it is cancelled, when the loop is shut down, after [executor.MaxRuns], and,
// unless [executor.FailurePolicy] says otherwise, when a run panics. In that last case the future fails
// with the panic, which is also reported to the error handler and logged. A run that returns an
// error or exceeds its timeout does not end the series. It is reported to the error handler;
// without one, the first of several failures in a row is logged, and only a few of the rest.
//
// AtFixedRate returns [executor.ErrNilTask], [executor.ErrInvalid] for a bad option or a period
// that is not positive, or [executor.ErrShutdown]. The initial delay is that of [Loop.Schedule]. A
// period that reaches beyond the end of the clock means one run.
func (l *Loop) AtFixedRate(
	initial, period time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.repeat(initial, period, run.FixedRate, task, opts)
}

// WithFixedDelay runs task after the initial delay, and again each time delay has passed since the
// end of its last run. There is nothing to catch up with; in all else it is like
// [Loop.AtFixedRate].
func (l *Loop) WithFixedDelay(
	initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.repeat(initial, delay, run.FixedDelay, task, opts)
}

// On runs task at the times of a calendar, such as those of packages cron and calendar. It is
// [executor.ScheduledPool.On] for a loop.
func (l *Loop) On(
	calendar executor.Calendar, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	return entry{door: &l.door}.onCalendar(calendar, task, opts)
}
