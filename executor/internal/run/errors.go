package run

import (
	"errors"
	"fmt"
)

var (
	// ErrNilTask is the variable of the same name in package executor.
	ErrNilTask = errors.New("executor: nil task")

	// ErrInvalid is the variable of the same name in package executor.
	ErrInvalid = errors.New("executor: invalid argument")

	// ErrExpired is the variable of the same name in package executor.
	ErrExpired = errors.New("executor: not begun in time")

	// ErrSkipped is the variable of the same name in package executor.
	ErrSkipped = errors.New("executor: skipped")
)

// Invalid returns an error that matches [ErrInvalid] and says why.
func Invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
