package supervisor

import "errors"

var (
	// ErrClosed is the cause of the context of a run that was in progress when its supervisor was
	// stopped.
	ErrClosed = errors.New("supervisor: closed")

	errNoFuture = errors.New("supervisor: the pool returned neither a future nor an error")
)
