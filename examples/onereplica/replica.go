package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/punctual-go/punctual/executor"
)

// Lock is held by one replica at a time.
type Lock interface {
	// TryLock takes the lock, unless another replica holds it: then it reports false at once. The
	// context is for the work that needs the lock. It derives from ctx, and ends with the cause
	// ErrLost once the lock is lost.
	TryLock(ctx context.Context) (held context.Context, ok bool, err error)

	// Unlock releases the lock. It follows each TryLock that has reported true, also once the lock
	// is lost.
	Unlock() error
}

// ErrLost tells that the lock was lost while the work was still going on.
var ErrLost = errors.New("lock lost")

// OnOneReplica returns a task that works only where the lock is free. Elsewhere a run is skipped:
// no success, as the work was not done there, and no failure, as it was done by another replica.
//
// A lock that is lost cancels the work, but nothing can take back what it has sent already. For a
// moment two replicas may be at it, so what they write has to bear that.
func OnOneReplica(lock Lock, work executor.Task) executor.Task {
	return func(ctx context.Context) (err error) {
		held, ok, err := lock.TryLock(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("take the lock: %w", err)
		case !ok:
			return fmt.Errorf("%w: another replica holds the lock", executor.ErrSkipped)
		}
		defer func() {
			if context.Cause(held) == ErrLost {
				err = errors.Join(ErrLost, err) // whatever the work has made of it
			}
			err = errors.Join(err, lock.Unlock())
		}()
		return work(held)
	}
}
