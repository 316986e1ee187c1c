package supervisor

import (
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

var (
	// ErrClosed is the cause of the context of a run that was in progress when its supervisor was
	// stopped.
	ErrClosed = errors.New("supervisor: closed")

	errNoFuture = errors.New("supervisor: the pool returned neither a future nor an error")
)

func invalid(format string, args ...any) error {
	return fmt.Errorf("%w: %s", executor.ErrInvalid, fmt.Sprintf(format, args...))
}
