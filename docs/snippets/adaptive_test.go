package snippets

import (
	"context"
	"errors"
	"testing"

	"github.com/failsafe-go/failsafe-go/adaptivelimiter"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
)

// limited is task for as many at once as limit finds that the other side can take.
func limited(limit adaptivelimiter.AdaptiveLimiter[any], task executor.Task) executor.Task {
	return func(ctx context.Context) error {
		permit, err := limit.AcquirePermit(ctx)
		if err != nil {
			return err
		}
		defer permit.Record() // how long it took says how busy the other side is
		return task(ctx)
	}
}

func TestAnAdaptiveLimit(t *testing.T) {
	limit := adaptivelimiter.NewBuilder[any]().WithLimits(1, 16, 1).Build()
	pool := executor.NewPool(4)
	defer pool.Close()
	begun, end := make(chan struct{}), make(chan struct{})
	slow, err := pool.Submit(limited(limit, func(context.Context) error { close(begun); <-end; return nil }))
	require.NoError(t, err)
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	second, err := pool.Submit(limited(limit, func(context.Context) error { return errors.New("it began") }),
		executor.WithContext(ctx))
	require.NoError(t, err)
	require.Equal(t, 1, limit.Inflight())
	cancel()
	_, err = second.Get(t.Context())
	require.ErrorIs(t, err, context.Canceled)
	close(end)
	_, err = slow.Get(t.Context())
	require.NoError(t, err)
}
