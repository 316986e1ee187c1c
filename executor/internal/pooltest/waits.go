package pooltest

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Patience is how long a pool waits before it helps a waiter of which it cannot be certain whose it
// is.
const Patience = 10 * time.Millisecond

// Overdraw submits, in a run of p, a child that takes an hour and waits for it for one
// second, n times. The pool helps each time, and then runs n bodies more than its size.
func Overdraw(t *testing.T, ctx context.Context, p *executor.Pool, n int) {
	for range n {
		stuck, _ := p.Submit(Sleep(time.Hour))
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		_, err := stuck.Get(ctx)
		cancel()
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// Waited is how long a wait took and how it ended.
type Waited struct {
	Took time.Duration
	Err  error
}

// Wait submits a task to p that calls wait, and returns the future of how that went.
func Wait[V any](
	t *testing.T, p *executor.Pool, wait func(ctx context.Context) (V, error),
) *future.Future[Waited] {
	t.Helper()
	return SubmitFunc(t, p, func(ctx context.Context) (Waited, error) {
		start := time.Now()
		_, err := wait(ctx)
		return Waited{time.Since(start), err}, nil
	}, executor.Name("parent"))
}

// Took returns how a wait went, which must be over.
func Took(t *testing.T, f *future.Future[Waited]) Waited {
	t.Helper()
	w, err := Settled(t, f)
	require.NoError(t, err)
	return w
}
