package executor

import (
	"errors"
	"fmt"
)

var (
	// ErrRejected is matched by every refusal of a valid task: [ErrShutdown] and [ErrSaturated].
	ErrRejected = errors.New("executor: task rejected")

	// ErrShutdown says that the pool is shut down: a submission is refused, or an accepted task has
	// been dropped before it ran.
	ErrShutdown = fmt.Errorf("%w: pool is shut down", ErrRejected)

	// ErrSaturated says that the pool has as many tasks as it may.
	ErrSaturated = fmt.Errorf("%w: pool is saturated", ErrRejected)

	// ErrNilTask is returned for a nil task.
	ErrNilTask = errors.New("executor: nil task")

	// ErrInvalid is matched by the error of every other bad argument.
	ErrInvalid = errors.New("executor: invalid argument")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
