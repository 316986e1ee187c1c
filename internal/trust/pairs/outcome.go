package pairs

import (
	"errors"

	"github.com/punctual-go/punctual/future"
)

var (
	errBoom   = errors.New("boom")
	errCaller = errors.New("the caller has gone away")
)

// outcome is what is known of a future, whatever its type.
type outcome interface {
	State() future.State
	Cancel() bool
	CancelCause(error) bool
	Stop() bool
	Withdraw() bool
	Stopped() <-chan struct{}
	Done() <-chan struct{}
}
