package executor

import (
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/internal/series"
)

var (
	// ErrRejected is matched by every refusal of a valid task: by [ErrShutdown], by [ErrSaturated],
	// and by the error of a submission whose context had ended. Only a [rejection.Policy] may
	// return another error.
	ErrRejected = engine.ErrRejected

	// ErrShutdown says that the pool is shut down. Either a submission is refused, or an accepted
	// task has been dropped before it ran; the error of the latter also matches
	// [future.ErrCancelled].
	ErrShutdown = engine.ErrShutdown

	// ErrSaturated says that the pool has no room for the task.
	ErrSaturated = engine.ErrSaturated

	// ErrDuplicate refuses a [Unique] task whose name another live task has. It matches
	// ErrRejected.
	ErrDuplicate = engine.ErrDuplicate

	// ErrExpired is the error of a run that did not begin in time, see [BeginWithin].
	ErrExpired = run.ErrExpired

	// ErrSkipped is the error of a task that has left its work out on purpose: on a replica that is
	// not the leader, say. Wrap it to say why. Such a run is an outcome of its own, neither a
	// success nor a failure: [Stats], metrics, history and recordings count it separately, observers
	// and [AfterRun] get the error, no [ErrorHandler] is called, and nothing is logged.
	//
	// It ends the run: [Retry] makes no further attempt, and the future of a task that runs once
	// gets the error. A series goes on, whatever its [FailurePolicy]. A row of failures neither ends
	// nor grows: [SlowDown] keeps the period as it is, [PauseAfter] goes on counting with the next
	// failure, and health stays as it was. [insight.SuccessWithin] still waits for a success, so
	// expect one only of a task that will have some. For [MaxRuns], [DelayBy], [NextIn] and
	// [insight.StartWithin] it is a run like any other.
	//
	// A run that exceeds its [Timeout] or panics has failed, whatever it returns. A task that was
	// cancelled stays so; what its run returns may be counted as skipped besides. To whatever waits
	// for futures, such as [InvokeAny] and bulk.Group, and to a supervisor it is an error like any
	// other.
	ErrSkipped = run.ErrSkipped

	// ErrCalendar ends a series whose calendar has answered a time that is not after the one it was
	// asked about.
	ErrCalendar = series.ErrCalendar

	// ErrDrained says that [Pool.Drain] has dropped an accepted task before it ran; the error also
	// matches [future.ErrCancelled].
	ErrDrained = engine.ErrDrained

	// ErrNilTask is returned for a nil task.
	ErrNilTask = run.ErrNilTask

	// ErrInvalid is matched by the error for any other bad argument.
	ErrInvalid = run.ErrInvalid
)

// misused adds the names of pool and task to the error of a submission with a bad argument.
func (p *Pool) misused(opts []TaskOption, err error) error {
	return submitter.Misused(p.engine(), opts, err)
}

func invalid(format string, args ...any) error { return run.Invalid(format, args...) }
