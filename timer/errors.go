package timer

import (
	"errors"
	"fmt"
)

var (
	// ErrNilFunc is returned by AtFixedRate and WithFixedDelay for a nil function.
	ErrNilFunc = errors.New("timer: nil function")

	// ErrNilTask is returned by a Timer for a nil Task, and for one not made by NewTask.
	ErrNilTask = errors.New("timer: nil task")

	// ErrTaskUsed is returned by a Timer for a Task that was scheduled or cancelled before.
	ErrTaskUsed = errors.New("timer: task was scheduled or cancelled before")

	// ErrInvalid is matched by the error for any other bad argument.
	ErrInvalid = errors.New("timer: invalid argument")

	// ErrGoexit is the cause when a function has ended its goroutine with runtime.Goexit, as
	// testing.T.FailNow does.
	ErrGoexit = errors.New("timer: function called runtime.Goexit")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrInvalid, fmt.Sprintf(format, args...))
}
