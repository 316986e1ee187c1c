package es_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
)

// A cancellation settles a future first, and counts a moment later. Who has waited for all that a
// context cancels finds it counted.

// heeds is a function that ends with its context.
func heeds(ctx context.Context) (int, error) {
	<-ctx.Done()
	return 0, ctx.Err()
}

func TestWhatTheContextOfABulkOperationCancelsHasCountedAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		busy, err := p.Submit(pooltest.Sleep(time.Second))
		require.NoError(t, err)
		delaytest.Once(t, delay.CancelledQueued, func() { time.Sleep(time.Minute) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		fs, err := executor.InvokeAll(ctx, p, heeds) // run by the caller
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, future.Cancelled, fs[0].State())
		<-busy.Done()
		pooltest.EndsAtOnce(t, p)
	})
}

func TestWhatTheContextOfAGroupCancelsHasCountedAtItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		g := bulk.NewGroup(ctx, p)
		require.NoError(t, g.Go(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		delaytest.Once(t, delay.CancelledQueued, func() { time.Sleep(time.Minute) })
		assert.ErrorIs(t, g.Wait(), context.DeadlineExceeded)
		pooltest.EndsAtOnce(t, p)
	})
}
