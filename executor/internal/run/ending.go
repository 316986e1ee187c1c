package run

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// After calls f on a goroutine of its own once ctx has ended, and calls failed with the error if f
// panics or calls Goexit. Stop is that of [context.AfterFunc].
func After(ctx context.Context, f func(), failed func(err error)) (stop func() bool) {
	return context.AfterFunc(ctx, func() { Callback(f, failed) })
}

// Await waits until done is closed, which an owner does at its end, and returns nil; or until ctx
// ends, and returns the error of ctx. A caller whom the owner outlives would wait for itself, and
// gets [future.ErrSelfWait] at once. A nil ctx never ends.
func Await(
	ctx context.Context, done <-chan struct{}, outlives func(context.Context) bool,
) error {
	if ctx == nil {
		ctx = context.Background()
	}
	select {
	case <-done:
		return nil
	default:
	}
	// Asked only if there is something to wait for: it looks at the goroutine, and takes the lock.
	if outlives(ctx) {
		return future.ErrSelfWait
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return cell.ErrOf(ctx)
	}
}
