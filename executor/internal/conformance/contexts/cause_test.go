package contexts_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// over is a context that does not ask the one below whether it has ended, as context.Cause of
// Go 1.25 does not before it looks for a cause.
type over struct{ context.Context }

func (over) Err() error { return context.Canceled }

func TestACauseIsThereBeforeAnybodyAsksForTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		var series *executor.ScheduledFuture[struct{}]
		var before, cause error
		series, err := p.AtFixedRate(time.Second, time.Second, func(ctx context.Context) error {
			before = context.Cause(over{ctx})
			series.Cancel()
			cause = context.Cause(over{ctx})
			return nil
		})
		require.NoError(t, err)
		<-series.Stopped()
		assert.Equal(t, context.Canceled, before)
		assert.ErrorIs(t, cause, future.ErrCancelled)
	})
}
