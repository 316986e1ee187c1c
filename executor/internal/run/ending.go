package run

import (
	"context"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// After calls f once ctx has ended, on a goroutine of its own, and failed with the error if f panics
// or ends that goroutine. Stop is that of [context.AfterFunc].
func After(ctx context.Context, f func(), failed func(err error)) (stop func() bool) {
	return context.AfterFunc(ctx, func() {
		var err error
		defer func() { // also when f ends its goroutine
			if err != nil {
				failed(err)
			}
		}()
		future.Invoke(context.Background(), func(context.Context) error {
			f()
			return nil
		}, &err)
	})
}

// Await waits until done is closed, which an owner does at its end, or until ctx ends, and returns the
// error of that. A caller that the owner outlives gets [future.ErrSelfWait] at once. A nil ctx never
// ends.
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
