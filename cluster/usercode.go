package cluster

import (
	"context"

	"github.com/punctual-go/punctual/future"
)

// callUser calls a function of the user's that is no task, and returns how it has failed to return,
// if it has: a panic, or runtime.Goexit. It has a goroutine of its own, as Goexit would end that of
// the caller, who holds a run.
func callUser(fn func()) error {
	ended := make(chan error, 1)
	go func() {
		var err error
		defer func() { ended <- err }()
		future.Invoke(context.Background(), func(context.Context) error { fn(); return nil }, &err)
	}()
	return <-ended
}
