package supervisor

import "errors"

var (
	// ErrClosed is the cause with which Stop ends the context of a run in progress.
	ErrClosed = errors.New("supervisor: closed")

	errNoFuture = errors.New("supervisor: the pool returned neither a future nor an error")
)
