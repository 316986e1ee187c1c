package engine_test

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

// holdUpAWorker holds up the next worker that has read the clock and not yet taken the lock of the
// pool, once armed is set. Over ends that.
func holdUpAWorker(d time.Duration) (armed *atomic.Bool, over func()) {
	armed = new(atomic.Bool)
	return armed, delay.Set(func(p delay.Point) {
		if p == delay.RunConcluded && armed.CompareAndSwap(true, false) {
			time.Sleep(d)
		}
	})
}

// A worker is held up between its reading of the clock and the lock of the pool. Then it takes one
// task, and has the idle worker woken for the next, which is due: at once, not by an alarm that is
// set from the old reading.
func TestAWorkerThatWasHeldUpHasAnotherComeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		armed, over := holdUpAWorker(3 * ms)
		defer over()
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

// A worker is held up between its reading of the clock and the lock of the pool, while a task is
// scheduled for earlier than the leader waits for. What it then has the leader do is not worked out
// from the old reading.
func TestAWorkerThatWasHeldUpSetsTheAlarmForTheRightTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		armed, over := holdUpAWorker(2 * ms)
		defer over()
		pool := executor.NewScheduledPool(2)
		defer func() { pool.ShutdownNow(); <-pool.Terminated() }()
		nothing := func(context.Context) error { return nil }
		_, err := pool.Schedule(15*ms, nothing)
		require.NoError(t, err)
		synctest.Wait() // a worker leads
		time.Sleep(10 * ms)
		armed.Store(true)
		_, err = pool.Submit(nothing)
		require.NoError(t, err)
		time.Sleep(ms) // the worker that was started for it is held up
		begun, start := make(chan time.Duration, 1), time.Now()
		_, err = pool.Schedule(3*ms, func(context.Context) error { begun <- time.Since(start); return nil })
		require.NoError(t, err)
		assert.Equal(t, 3*ms, <-begun)
	})
}

// A bare task has no time as long as none of the pool has one. The first with a time goes after
// such tasks, also after those that come while its submitter is held up between its reading of the
// clock and the lock of the pool: so it must not have a time from before they came.
func TestWhatGoesFirstHasNotComeAfterTheTimeOfTheNext(t *testing.T) {
	pool := executor.NewScheduledPool(1)
	defer func() { pool.ShutdownNow(); <-pool.Terminated() }()
	began, release := make(chan struct{}), make(chan struct{})
	defer close(release)
	require.NoError(t, pool.Execute(func(context.Context) error { close(began); <-release; return nil }))
	<-began
	unlock := engineOf(pool).Lock()
	scheduled := make(chan error)
	go func() {
		_, err := pool.ScheduleAt(time.Now().Add(time.Millisecond), func(context.Context) error { return nil })
		scheduled <- err
	}()
	time.Sleep(10 * time.Millisecond) // it waits for the lock
	came := time.Now()
	err := pool.Execute(func(context.Context) error { return nil })
	unlock()
	require.NoError(t, err)
	require.NoError(t, <-scheduled)
	queued := pool.Queued()
	require.Len(t, queued, 2)
	assert.Zero(t, queued[0].Scheduled, "the one that has come without a time")
	assert.False(t, queued[1].Scheduled.Before(came), "due %v before the task that goes first has come", came.Sub(queued[1].Scheduled))
}

// A worker is held up in the same place while a run of a series goes on elsewhere, and then takes
// the next of that series, which has been due since before it read the clock.
func TestNoRunOfASeriesStartsBeforeTheLastHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const ms = time.Millisecond
		var armed atomic.Bool
		defer delay.Set(func(p delay.Point) {
			if p == delay.RunConcluded && armed.CompareAndSwap(true, false) {
				time.Sleep(26 * ms)
			}
		})()
		var starts []time.Time // of the series; its runs do not overlap
		pool := executor.NewScheduledPool(2)
		defer func() { pool.ShutdownNow(); <-pool.Terminated() }()
		begun := time.Now()
		naps := []time.Duration{30 * ms, 0}
		series, err := pool.AtFixedRate(0, ms, func(ctx context.Context) error {
			run, _ := executor.RunFrom(ctx)
			starts = append(starts, run.Started)
			nap := naps[0]
			naps = naps[1:]
			time.Sleep(nap)
			return nil
		}, executor.MaxRuns(2))
		require.NoError(t, err)
		_, err = pool.Submit(func(context.Context) error { time.Sleep(5 * ms); armed.Store(true); return nil })
		require.NoError(t, err)
		_, err = pool.Schedule(0, func(context.Context) error { time.Sleep(time.Second); return nil })
		require.NoError(t, err)
		_, err = series.Get(t.Context())
		require.NoError(t, err)
		require.Len(t, starts, 2)
		assert.Equal(t, 31*ms, starts[1].Sub(begun), "when the worker that was held up came")
	})
}
