package executor_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/delay"
)

// An attempt has failed, another is to follow, and before that is queued the pool is shut down.
func TestAShutdownBetweenTwoAttemptsFailsTheTaskWithTheErrorOfTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		failed := errors.New("failed")
		var armed atomic.Bool
		defer delay.Set(func(p delay.Point) {
			if p == delay.RunConcluded && armed.CompareAndSwap(true, false) {
				assert.Empty(t, pool.ShutdownNow())
			}
		})()
		f, err := pool.Submit(func(context.Context) error {
			armed.Store(true)
			return failed
		}, executor.Retry(3, retry.Backoff{Base: time.Second}))
		require.NoError(t, err)
		<-pool.Terminated()
		r, settled := f.Poll()
		assert.True(t, settled)
		assert.ErrorIs(t, r.Err, failed)
		s := pool.Stats()
		assert.EqualValues(t, []uint64{1, 1, 0}, []uint64{s.Completed, s.Failures, s.Retries})
	})
}

// Once the last attempt counts as failed the task is settled, so that no cancellation can come
// between the two.
func TestATaskWhoseLastAttemptIsCountedAsFailedCannotBeCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := executor.NewScheduledPool(1)
		failed := errors.New("failed")
		var f *future.Future[struct{}]
		submitted := make(chan struct{})
		var armed, refused bool // the only worker's
		defer delay.Set(func(p delay.Point) {
			switch {
			case p == delay.RunConcluded && armed:
				armed = false
				assert.Empty(t, pool.ShutdownNow())
			case p == delay.SeriesRefused:
				refused = true
				assert.False(t, f.Cancel())
			}
		})()
		var err error
		f, err = pool.Submit(func(context.Context) error {
			<-submitted
			armed = true
			return failed
		}, executor.Retry(3, retry.Backoff{Base: time.Second}))
		require.NoError(t, err)
		close(submitted)
		<-pool.Terminated()
		assert.True(t, refused)
		r, _ := f.Poll()
		assert.ErrorIs(t, r.Err, failed)
		s := pool.Stats()
		assert.EqualValues(t, []uint64{1, 1, 0}, []uint64{s.Completed, s.Failures, s.Cancelled})
	})
}
