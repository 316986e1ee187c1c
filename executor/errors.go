package executor

import (
	"context"
	"errors"
	"strings"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

var (
	// ErrRejected is matched by every refusal of a valid task: by [ErrShutdown], by [ErrSaturated],
	// and by the error of a submission whose context had ended. Only a [RejectionPolicy] may return
	// another error.
	ErrRejected = errors.New("executor: task rejected")

	// ErrShutdown says that the pool is shut down. Either a submission is refused, or an accepted
	// task has been dropped before it ran; the error of the latter also matches
	// [future.ErrCancelled].
	ErrShutdown error = rejection("executor: pool is shut down")

	// ErrSaturated says that the pool has no room for the task.
	ErrSaturated error = rejection("executor: pool is saturated")

	// ErrDuplicate refuses a [Unique] task whose name another live task has. It matches
	// ErrRejected.
	ErrDuplicate error = rejection("executor: a task of this name is alive")

	// ErrExpired is the error of a run that did not begin in time, see [BeginWithin].
	ErrExpired = run.ErrExpired

	// ErrCalendar ends a series whose calendar has answered a time that is not after the one it was
	// asked about.
	ErrCalendar = series.ErrCalendar

	// ErrDrained says that [Pool.Drain] has dropped an accepted task before it ran; the error also
	// matches [future.ErrCancelled].
	ErrDrained = errors.New("executor: task was drained")

	// ErrNoneLeft is returned by [CompletionService.Take] when no task is outstanding.
	ErrNoneLeft = errors.New("executor: no task is outstanding")

	// ErrNilTask is returned for a nil task.
	ErrNilTask = run.ErrNilTask

	// ErrInvalid is matched by the error for any other bad argument.
	ErrInvalid = run.ErrInvalid
)

// rejection is a reason to reject a task. It is a type, so that each reason also matches
// ErrRejected.
type rejection string

func (r rejection) Error() string        { return string(r) }
func (r rejection) text() string         { return strings.TrimPrefix(string(r), "executor: ") }
func (r rejection) Is(target error) bool { return target == ErrRejected }

// refusal adds the names of pool and task to err, unless err is somebody else's, such as a
// policy's.
func (p *Pool) refusal(task string, err error) error {
	r, own := err.(rejection)
	if !own {
		return err
	}
	return p.runs.Refusal(task, r.text(), err)
}

// misused adds the names of pool and task to the error of a submission with a bad argument.
func (p *Pool) misused(opts []TaskOption, err error) error {
	return run.Misused(&p.runs.Reporter, opts, err)
}

func invalid(format string, args ...any) error { return run.Invalid(format, args...) }

// endOf returns the error of ctx, with its cause, or nil if ctx has not ended.
func endOf(ctx context.Context) error {
	if !cell.HasEnded(ctx) {
		return nil
	}
	return cell.EndOf(ctx)
}
