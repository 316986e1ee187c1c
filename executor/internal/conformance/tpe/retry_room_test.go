package tpe_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/retry"
)

var inAnHour = executor.Retry(2, retry.Backoff{Base: time.Hour, Spread: retry.NoSpread})

func TestATaskThatWaitsForAnotherAttemptTakesRoom(t *testing.T) {
	for name, bound := range map[string]executor.Option{
		"in a bounded queue": executor.Queue(queue.Bounded(2)),
		"under a limit":      executor.PendingLimit(2),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, bound)
				for range 2 {
					require.NoError(t, p.Execute(pooltest.Fail, inAnHour))
					synctest.Wait()
				}
				assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
				time.Sleep(2 * time.Hour)
				assert.NoError(t, p.Execute(pooltest.Nothing), "both have had their last attempt")
			})
		})
	}
}

func TestAnAttemptKeepsItsPlaceWhenTheQueueIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		attempts := pooltest.NewTrace()
		f, err := p.Submit(pooltest.InTurn(pooltest.Fail, attempts.Task("again")),
			executor.Retry(2, retry.Backoff{}))
		require.NoError(t, err)
		require.NoError(t, p.Execute(pooltest.Nothing), "it fills the queue")
		_, err = f.Get(t.Context())
		assert.NoError(t, err)
	})
}

func TestASubmitterWaitsForTheRoomOfAnAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		require.NoError(t, p.Execute(pooltest.Fail, inAnHour))
		synctest.Wait()
		start := time.Now()
		f, err := p.SubmitContext(t.Context(), pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestACancelledAttemptGivesItsRoomToASubmitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		f, err := p.Submit(pooltest.Fail, inAnHour)
		require.NoError(t, err)
		synctest.Wait()
		time.AfterFunc(time.Minute, func() { f.Cancel() })
		start := time.Now()
		_, err = p.SubmitContext(t.Context(), pooltest.Nothing)
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// Nothing waits there for a worker, so what waits for its time is in nobody's way.
func TestAnAttemptTakesNoRoomUnderHandOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		for range 3 {
			require.NoError(t, p.Execute(pooltest.Fail, inAnHour))
			synctest.Wait()
		}
		assert.Equal(t, 3, p.Stats().Queued)
		time.Sleep(2 * time.Hour)
	})
}
