package executor

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/punctual-go/punctual/internal/cell"
)

var (
	// ErrRejected is matched by every refusal of a valid task: [ErrShutdown], [ErrSaturated], and that of
	// a submission whose context has ended. Only a [RejectionPolicy] may return any other error.
	ErrRejected = errors.New("executor: task rejected")

	// ErrShutdown says that the pool is shut down: a submission is refused, or an accepted task has
	// been dropped before it ran, whose error then matches [future.ErrCancelled] too.
	ErrShutdown error = rejection("executor: pool is shut down")

	// ErrSaturated says that the pool has as many tasks as it may.
	ErrSaturated error = rejection("executor: pool is saturated")

	// ErrNoneLeft is returned by [CompletionService.Take] when there is nothing to wait for.
	ErrNoneLeft = errors.New("executor: no task is outstanding")

	// ErrNilTask is returned for a nil task.
	ErrNilTask = errors.New("executor: nil task")

	// ErrInvalid is matched by the error of every other bad argument.
	ErrInvalid = errors.New("executor: invalid argument")
)

// rejection is a reason to reject a task.
type rejection string

func (r rejection) Error() string        { return string(r) }
func (r rejection) text() string         { return strings.TrimPrefix(string(r), "executor: ") }
func (r rejection) Is(target error) bool { return target == ErrRejected }

// refusal returns err, if it is one of the pool's own, with the names of the pool and of the task.
func (p *Pool) refusal(task string, err error) error {
	r, own := err.(rejection)
	if !own {
		return err
	}
	return p.runs.Refusal(task, r.text(), err)
}

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}

// endOf returns the error of ctx if it has ended, with its cause.
func endOf(ctx context.Context) error {
	if !cell.HasEnded(ctx) {
		return nil
	}
	return cell.EndOf(ctx)
}
