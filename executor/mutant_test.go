package executor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
	"github.com/punctual-go/punctual/internal/probe"
)

// The tests of this file hold on to small steps that are easily forgotten: bench/mutants leaves
// them out, one by one.

// Of two idle workers the one that waits behind the other is one too many. It is called for a task,
// and goes: the other has to take the task, though it waits for the end of an hour.
func TestAWorkerThatGoesInsteadOfTakingATaskCallsTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.KeepAlive(time.Minute))
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		p.PrestartWorkers()
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(1))
		synctest.Wait()
		require.Equal(t, 2, p.Stats().Workers)
		time.Sleep(time.Second)

		f := pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// The future is settled, and its task still in the queue when a worker takes it.
func TestATaskThatIsCancelledAsAWorkerTakesItIsCountedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Second, pooltest.Nothing)
		delaytest.Once(t, delay.CancelledQueued, func() { time.Sleep(time.Minute) })
		assert.True(t, f.Cancel())
		s := p.Stats()
		assert.EqualValues(t, 1, s.Accepted)
		assert.EqualValues(t, 1, s.Cancelled)
		assert.Zero(t, s.Completed+s.Returned+s.Runs)
	})
}

func TestASerialExecutorGoesOnWhenItsNextTaskIsCancelledAsAWorkerTakesIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		s := serial.New(p)
		require.NoError(t, s.Execute(pooltest.Sleep(time.Second)))
		cancelled, err := s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		start, begun := time.Now(), time.Duration(-1)
		require.NoError(t, s.Execute(func(context.Context) error { begun = time.Since(start); return nil }))

		delaytest.Once(t, delay.CancelledQueued, func() { time.Sleep(time.Minute) })
		assert.True(t, cancelled.Cancel())
		assert.Equal(t, time.Second, begun)
	})
}

// While a series runs, the other worker rests, and finds the queue empty. Nevertheless what comes
// now is later than the next run of the series, which is overdue.
func TestAFreshTaskDoesNotOvertakeTheOverdueRunOfASeriesThatStillRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		var order []string
		pooltest.AtFixedRate(t, p, 0, 10*time.Millisecond, func(context.Context) error {
			if order = append(order, "series"); len(order) == 1 {
				time.Sleep(25 * time.Millisecond)
			}
			return nil
		}, executor.MaxRuns(3))
		synctest.Wait()
		require.NoError(t, p.Execute(pooltest.Nothing)) // by the other worker, which rests then
		time.Sleep(12 * time.Millisecond)
		pooltest.Submit(t, p, pooltest.Sleep(time.Second)) // it is busy
		synctest.Wait()
		time.Sleep(10 * time.Millisecond)
		require.NoError(t, p.Execute(func(context.Context) error { order = append(order, "fresh"); return nil }))
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []string{"series", "series", "series", "fresh"}, order)
	})
}

// The workers have gone when the one who stops the pool is held up before it settles what it has
// taken out.
func TestAPoolDoesNotEndBeforeTheFuturesOfWhatItDropsAreSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Nothing)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		synctest.Wait()
		early := false
		delaytest.Once(t, delay.TasksSwept, func() {
			synctest.Wait()
			early = probe.IsClosed(p.Terminated())
		})
		assert.Len(t, p.ShutdownNow(), 1)
		assert.False(t, early, "it has ended, and the future was %v", f)
		pooltest.CancelledByShutdown(t, f.Future)
		synctest.Wait()
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}
