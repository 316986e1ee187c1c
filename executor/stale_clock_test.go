package executor_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/delay"
)

// A worker is held up between its reading of the clock and the lock of the pool. Then it takes one task, and has the
// idle worker woken for the next, which is due: at once, not by an alarm that is set from the old reading.
func TestAWorkerThatWasHeldUpHasAnotherComeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		var armed atomic.Bool
		defer delay.Set(func(p delay.Point) {
			if p == delay.RunConcluded && armed.CompareAndSwap(true, false) {
				time.Sleep(3 * ms)
			}
		})()
		pool := executor.NewScheduledPool(2)
		defer func() { pool.ShutdownNow(); <-pool.Terminated() }()
		begun := make(chan time.Duration, 1)
		start := time.Now()
		_, err := pool.Schedule(time.Hour, func(context.Context) error { return nil })
		require.NoError(t, err)
		synctest.Wait() // a worker leads
		armed.Store(true)
		_, err = pool.Submit(func(context.Context) error { time.Sleep(10 * ms); return nil })
		require.NoError(t, err)
		time.Sleep(ms) // the worker that was started for it is held up
		_, err = pool.Schedule(0, func(context.Context) error { begun <- time.Since(start); return nil })
		require.NoError(t, err)
		assert.Equal(t, 3*ms, <-begun, "when the held up worker came, and left this to the other")
	})
}
