package pooltest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// Submitter is a pool, or anything else with its Submit method.
type Submitter interface {
	Submit(task executor.Task, opts ...executor.TaskOption) (*future.Future[struct{}], error)
}

// Submit submits a task that must be accepted.
func Submit(
	t *testing.T, p Submitter, task executor.Task, opts ...executor.TaskOption,
) *future.Future[struct{}] {
	t.Helper()
	f, err := p.Submit(task, opts...)
	require.NoError(t, err)
	return f
}

// SubmitFunc submits fn. If the pool refuses it the test fails, but the goroutine goes on.
func SubmitFunc[V any](
	t *testing.T, p executor.Submitter, fn future.Func[V], opts ...executor.TaskOption,
) *future.Future[V] {
	t.Helper()
	f, err := executor.Submit(p, fn, opts...)
	if !assert.NoError(t, err) {
		return future.Failed[V](err)
	}
	return f
}

// Schedule schedules a task that must be accepted.
func Schedule(
	t *testing.T, p *executor.ScheduledPool, delay time.Duration, task executor.Task,
	opts ...executor.TaskOption,
) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.Schedule(delay, task, opts...)
	require.NoError(t, err)
	return f
}

// AtFixedRate schedules a series that must be accepted.
func AtFixedRate(
	t *testing.T, p *executor.ScheduledPool, initial, period time.Duration, task executor.Task,
	opts ...executor.TaskOption,
) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.AtFixedRate(initial, period, task, opts...)
	require.NoError(t, err)
	return f
}

// WithFixedDelay schedules a series that must be accepted.
func WithFixedDelay(
	t *testing.T, p *executor.ScheduledPool, initial, delay time.Duration, task executor.Task,
	opts ...executor.TaskOption,
) *executor.ScheduledFuture[struct{}] {
	t.Helper()
	f, err := p.WithFixedDelay(initial, delay, task, opts...)
	require.NoError(t, err)
	return f
}

// Settled returns the outcome of a future, which must be settled by now.
func Settled[V any](t *testing.T, f *future.Future[V]) (V, error) {
	t.Helper()
	r, ok := f.Poll()
	require.True(t, ok, "future is %v", f)
	return r.Value, r.Err
}

// Outcome returns the error of a future, which must be settled by now.
func Outcome(t *testing.T, f *future.Future[struct{}]) error {
	t.Helper()
	_, err := Settled(t, f)
	return err
}

// CancelledByShutdown asserts that a future is cancelled because of a shutdown.
func CancelledByShutdown(t *testing.T, f *future.Future[struct{}]) {
	t.Helper()
	err := Outcome(t, f)
	assert.Equal(t, future.Cancelled, f.State())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, executor.ErrShutdown)
}

// CancelledFor asserts that a future is cancelled, for a reason.
func CancelledFor[V any](t *testing.T, f *future.Future[V], reason error) {
	t.Helper()
	_, err := Settled(t, f)
	assert.Equal(t, future.Cancelled, f.State())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, reason)
}

// Names returns the names of pending tasks, in their order.
func Names(pending []executor.Pending) []string {
	names := make([]string, len(pending))
	for i, d := range pending {
		names[i] = d.Name
	}
	return names
}
