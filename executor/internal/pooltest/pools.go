package pooltest

import (
	"context"
	"log/slog"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/internal/probe"
)

// Quiet returns the option of a pool that logs nothing.
func Quiet() executor.Option { return executor.Logger(slog.New(slog.DiscardHandler)) }

// NewPool returns a plain pool that logs nothing and is stopped when the test ends, by [Stop].
func NewPool(t *testing.T, core int, opts ...executor.Option) *executor.Pool {
	t.Helper()
	return Stop(t, executor.NewPool(core, append([]executor.Option{Quiet()}, opts...)...))
}

// NewScheduledPool is NewPool for a scheduled pool.
func NewScheduledPool(t *testing.T, core int, opts ...executor.Option) *executor.ScheduledPool {
	t.Helper()
	p := executor.NewScheduledPool(core, append([]executor.Option{Quiet()}, opts...)...)
	Stop(t, &p.Pool)
	return p
}

// NewCached returns a pool that starts a worker for every task that finds none idle, and lets
// workers end after a minute without work, as Java's Executors.newCachedThreadPool does.
func NewCached(opts ...executor.Option) *executor.Pool {
	cached := []executor.Option{
		executor.Queue(queue.HandOff()), executor.MaximumSize(math.MaxInt), executor.KeepAlive(time.Minute),
	}
	return executor.NewPool(0, append(cached, opts...)...)
}

// Stop makes the end of the test stop p, and returns p. All that still runs must come to an end
// then, and nothing may be lost. Stop waits for that in a cleanup function, while the clock of the
// bubble still moves.
func Stop(t *testing.T, p *executor.Pool) *executor.Pool {
	t.Helper()
	t.Cleanup(func() {
		p.ShutdownNow()
		ctx, cancel := context.WithTimeout(context.Background(), 10000*time.Hour)
		defer cancel()
		if assert.NoError(t, p.AwaitTermination(ctx)) {
			NothingLost(t, p.Stats())
		}
	})
	return p
}

// NewDirectPool returns a pool whose one worker is busy until the test ends, so that submitters run
// all tasks themselves. The task that keeps the worker busy counts as accepted.
func NewDirectPool(t *testing.T) *executor.Pool {
	t.Helper()
	p := NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
	require.NoError(t, p.Execute(NewGate(t).Hold))
	synctest.Wait()
	return p
}

// NothingLost asserts what holds once a pool has terminated: every accepted task has come to one
// end.
func NothingLost(t *testing.T, s executor.Stats) {
	t.Helper()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Equal(t, []int{0, 0, 0}, []int{s.Workers, s.Busy, s.Queued}, "workers, busy, queued")
}

// Balanced waits until all is at rest, and asserts that each accepted task has come to one end, is
// queued, or runs.
func Balanced(t *testing.T, p *executor.Pool) {
	t.Helper()
	synctest.Wait()
	s := p.Stats()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned+uint64(s.Queued)+uint64(s.Busy),
		"%+v", s)
}

// EndsAtOnce shuts p down, in which nothing runs, and demands that it terminates at once and that
// nothing is lost.
func EndsAtOnce(t *testing.T, p *executor.Pool) {
	t.Helper()
	p.Shutdown()
	synctest.Wait()
	assert.True(t, probe.IsClosed(p.Terminated()),
		"nothing runs, nothing is queued, and the pool does not end: %v", p)
	NothingLost(t, p.Stats())
}

// Fill gives p the task the given number of times, and waits until all is at rest.
func Fill(t *testing.T, p *executor.Pool, times int, task executor.Task) {
	t.Helper()
	for range times {
		require.NoError(t, p.Execute(task))
	}
	synctest.Wait()
}
