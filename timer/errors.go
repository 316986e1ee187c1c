package timer

import (
	"errors"
	"fmt"
)

var (
	// ErrNilFunc is returned for a series of a nil function.
	ErrNilFunc = errors.New("timer: nil function")

	// ErrNilTask is returned for a nil task, and for one that NewTask has not made.
	ErrNilTask = errors.New("timer: nil task")

	// ErrTaskUsed says that a task has been scheduled or cancelled before.
	ErrTaskUsed = errors.New("timer: task was scheduled or cancelled before")

	// ErrInvalid is matched by the error of every other bad argument.
	ErrInvalid = errors.New("timer: invalid argument")

	// ErrGoexit is the cause when a function has ended its goroutine by runtime.Goexit, as
	// testing.T.FailNow does.
	ErrGoexit = errors.New("timer: function called runtime.Goexit")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
