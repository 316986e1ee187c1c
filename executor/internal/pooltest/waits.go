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

// Patience is after how long a pool helps a wait without being certain who it is that waits.
const Patience = 10 * time.Millisecond

// Overdraw has a run of p wait for a child that takes an hour, for a second only, n times. The pool
// helps, and then runs so many bodies more than it should.
func Overdraw(t *testing.T, ctx context.Context, p *executor.Pool, n int) {
	for range n {
		stuck, _ := p.Submit(Sleep(time.Hour))
		ctx, cancel := context.WithTimeout(ctx, time.Second)
		_, err := stuck.Get(ctx)
		cancel()
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	}
}

// Waited is how long a wait has taken, and how it ended.
type Waited struct {
	Took time.Duration
	Err  error
}

// Wait has a task on p wait, and returns the future of how that went.
func Wait[V any](t *testing.T, p *executor.Pool, wait func(ctx context.Context) (V, error)) *future.Future[Waited] {
	t.Helper()
	return SubmitFunc(t, p, func(ctx context.Context) (Waited, error) {
		start := time.Now()
		_, err := wait(ctx)
		return Waited{time.Since(start), err}, nil
	}, executor.Name("parent"))
}

// Took returns how a wait has gone, which must be over.
func Took(t *testing.T, f *future.Future[Waited]) Waited {
	t.Helper()
	w, err := Settled(t, f)
	require.NoError(t, err)
	return w
}
