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

	// ErrTimeout is matched by the error of GetTimeout when its time is up, and by the error of a
	// run that exceeded its timeout. It matches context.DeadlineExceeded.
	ErrTimeout error = &mark{"future: timed out", context.DeadlineExceeded}

	// ErrGoexit is the error of a task whose body called runtime.Goexit.
	ErrGoexit = errors.New("future: task called runtime.Goexit")

	// ErrSelfWait is returned to a task that would wait for its own end, or for something that
	// cannot happen before its own end.
	ErrSelfWait = cell.ErrSelfWait

	// ErrNoFutures is returned by Any when it is given no futures.
	ErrNoFutures = errors.New("future: no futures given")
)

// mark is a sentinel that also matches one of package context.
type mark struct {
	text string
	like error
}

func (m *mark) Error() string        { return m.text }
func (m *mark) Is(target error) bool { return target == m.like }

// waitError is the error of a wait with a time limit.
type waitError struct {
	subject string // names of the task and its executor; may be empty
	limit   time.Duration
}

// notSettled returns the error of a wait that gave up after limit. A poll, which did not wait, gets
// ErrTimeout itself and costs no allocation.
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

// CancelledError returns the error of a future that was cancelled for a reason; it matches both
// [ErrCancelled] and the reason. A nil reason gives ErrCancelled itself.
func CancelledError(reason error) error {
	if reason == nil || reason == ErrCancelled {
		return ErrCancelled
	}
	return cell.Joined(ErrCancelled, reason)
}
