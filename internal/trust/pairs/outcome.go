package pairs

import (
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

var (
	errBoom   = errors.New("boom")
	errCaller = errors.New("the caller has gone away")

	errNotLeader = fmt.Errorf("%w: not the leader", executor.ErrSkipped)
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
