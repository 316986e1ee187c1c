package pooltest

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/probe"
)

// Quiet is an option for pools that log nothing.
func Quiet() executor.Option { return executor.Logger(slog.New(slog.DiscardHandler)) }

// NewPool returns a plain pool that logs nothing and ends with the test, as by [Stop].
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

// Stop has p stopped when the test ends, and returns it. All that runs then must come to an end,
// and nothing be lost. The clock of a bubble stands still once its test has returned, so it is
// waited for before.
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

// NewDirectPool returns a pool whose one worker is busy to the end of the test, so that its callers
// run all tasks themselves. One task is accepted already.
func NewDirectPool(t *testing.T) *executor.Pool {
	t.Helper()
	p := NewPool(t, 1, executor.HandOff(), executor.OnRejection(executor.CallerRuns))
	require.NoError(t, p.Execute(NewGate(t).Hold))
	synctest.Wait()
	return p
}

// NothingLost asserts what holds after the end of a pool: all that it accepted has come to one end.
func NothingLost(t *testing.T, s executor.Stats) {
	t.Helper()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	assert.Equal(t, []int{0, 0, 0}, []int{s.Workers, s.Busy, s.Queued}, "workers, busy, queued")
}

// Balanced asserts that each task of a pool has come to one end, or waits, or runs, once all is at
// rest.
func Balanced(t *testing.T, p *executor.Pool) {
	t.Helper()
	synctest.Wait()
	s := p.Stats()
	assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned+uint64(s.Queued)+uint64(s.Busy), "%+v", s)
}

// EndsAtOnce shuts p down, demands that it ends at once, as nothing runs any more, and that nothing
// is lost.
func EndsAtOnce(t *testing.T, p *executor.Pool) {
	t.Helper()
	p.Shutdown()
	synctest.Wait()
	assert.True(t, probe.IsClosed(p.Terminated()), "nothing runs, nothing is queued, and the pool does not end: %v", p)
	NothingLost(t, p.Stats())
}

// Fill gives p the task so many times, and waits until nothing moves any more.
func Fill(t *testing.T, p *executor.Pool, times int, task executor.Task) {
	t.Helper()
	for range times {
		require.NoError(t, p.Execute(task))
	}
	synctest.Wait()
}
