package pooltest

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/punctual-go/punctual/future"
)

// ErrCause is why tests end contexts and cancel tasks.
var ErrCause = errors.New("the result is not awaited any more")

// Value returns a function that returns v after a time, if its context lets it.
func Value(v int, after time.Duration) future.Func[int] { return Result(v, nil, after) }

// Failure returns a function that fails with err after a time, if its context lets it.
func Failure(err error, after time.Duration) future.Func[int] { return Result(0, err, after) }

// Result returns a function that returns both after a time, if its context lets it.
func Result(v int, err error, after time.Duration) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		if after == 0 {
			return v, err
		}
		select {
		case <-time.After(after):
			return v, err
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
}

// Counted returns fn, which counts its calls now.
func Counted(calls *atomic.Int32, fn future.Func[int]) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		calls.Add(1)
		return fn(ctx)
	}
}

// Heeding returns a function that ends with its context, and notes the cause.
func Heeding(seen *error) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		<-ctx.Done()
		*seen = context.Cause(ctx)
		return 0, *seen
	}
}

// Within returns a context that ends by a deadline, which may be over.
func Within(t *testing.T, d time.Duration) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), d)
	t.Cleanup(cancel)
	return ctx
}

// Ended returns a context that has ended for [ErrCause].
func Ended(t *testing.T) context.Context {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(ErrCause)
	return ctx
}
