package future

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

var (
	// ErrCancelled is the error of a cancelled future. It matches context.Canceled.
	ErrCancelled error = &mark{"future: cancelled", context.Canceled}

	// ErrTimeout is matched by the error of GetTimeout when the time is over, and by that of a run
	// that has outlived its time-out. It matches context.DeadlineExceeded.
	ErrTimeout error = &mark{"future: timed out", context.DeadlineExceeded}

	// ErrGoexit is the error of a task whose body ended its goroutine by runtime.Goexit.
	ErrGoexit = errors.New("future: task called runtime.Goexit")

	// ErrSelfWait is returned to a run that waits for its own end, which would never come.
	ErrSelfWait = cell.ErrSelfWait

	// ErrNoFutures is returned by Any when there is nothing to wait for.
	ErrNoFutures = errors.New("future: no futures given")
)

// mark is a sentinel that also matches one of package context.
type mark struct {
	text string
	like error
}

func (m *mark) Error() string        { return m.text }
func (m *mark) Is(target error) bool { return target == m.like }

// waitError is the error of a wait that was limited to some time.
type waitError struct {
	subject string // of whose future it was; may be empty
	limit   time.Duration
}

// notSettled returns the error of a wait for so long.
func notSettled(subject string, limit time.Duration) error {
	if limit <= 0 {
		return ErrTimeout
	}
	return &waitError{subject, limit}
}

func (e *waitError) Error() string {
	if e.subject == "" {
		return fmt.Sprintf("future: not settled after %v", e.limit)
	}
	return fmt.Sprintf("future: %s: not settled after %v", e.subject, e.limit)
}

func (e *waitError) Unwrap() error { return ErrTimeout }

// CancelledError returns the error of a future that is cancelled for a reason: it matches both
// [ErrCancelled] and the reason. With no reason it is ErrCancelled itself.
func CancelledError(reason error) error {
	if reason == nil || reason == ErrCancelled {
		return ErrCancelled
	}
	return cell.Joined(ErrCancelled, reason)
}
