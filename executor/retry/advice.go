package retry

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
)

// Permanent wraps an error of a body: the task is not tried again. errors.Is and errors.As find err
// in it. It returns nil if err is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &run.Advice{Err: err, Permanent: true}
}

// After wraps an error of a body: the next attempt, if there is one left, comes after d
// instead of the wait of the back-off. It returns nil if err is nil.
func After(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &run.Advice{Err: err, After: d}
}
