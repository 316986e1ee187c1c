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
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// The handler is called on the goroutine of the timeout, which is nobody's.
func TestAHandlerOfATimeOutThatEndsItsGoroutineDoesNotKeepThePool(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { runtime.Goexit() }))
				pooltest.Overrun(t, p, policy)
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
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var got error
				p = executor.NewScheduledPool(1, executor.Logger(slog.New(slog.DiscardHandler)),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { got = p.Close() }))
				pooltest.Overrun(t, p, policy)
				<-p.Terminated()
				assert.ErrorIs(t, got, future.ErrSelfWait)
			})
		})
	}
}
