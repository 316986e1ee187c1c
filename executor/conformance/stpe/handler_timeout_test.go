package stpe_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// slowSeries runs a series on p whose first run outlives its time-out.
func slowSeries(t *testing.T, p *executor.ScheduledPool, policy executor.ErrorPolicy) {
	t.Helper()
	_, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, executor.Timeout(time.Second), executor.OnError(policy))
	require.NoError(t, err)
}

// policies are those after which a series goes on that has outlived its time-out, and that by which
// it ends.
var policies = map[string]executor.ErrorPolicy{
	"stop on panic": executor.StopOnPanic, "stop": executor.StopSeries, "continue": executor.Continue,
}

// The handler is called on the goroutine of the time-out, which is nobody's.
func TestAHandlerOfATimeOutThatEndsItsGoroutineDoesNotKeepThePool(t *testing.T) {
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { runtime.Goexit() }))
				slowSeries(t, p, policy)
				time.Sleep(2 * time.Second)
				require.NoError(t, p.Close())
				s := p.Stats()
				assert.Equal(t, policy == executor.StopSeries, s.Completed == 1)
				assert.EqualValues(t, 1, s.Failures)
				assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
			})
		})
	}
}

func TestAHandlerOfATimeOutMayCloseThePool(t *testing.T) {
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var got error
				p = executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { got = p.Close() }))
				slowSeries(t, p, policy)
				<-p.Terminated()
				assert.ErrorIs(t, got, future.ErrSelfWait)
			})
		})
	}
}
