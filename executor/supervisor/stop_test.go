package supervisor_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// Stop, in every state, and what comes late.

func TestB36_StopBeforeStartKeepsItFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), pooltest.Nothing)
		s.Trigger()
		s.Stop()
		s.Stop()
		<-s.Done()
		s.Start()
		s.Trigger()
		s.Suspend()
		s.Resume()
		time.Sleep(time.Hour)
		assert.Empty(t, s.begun())
		assert.Equal(t, "stopped", s.state())
	})
}

func TestStopOfASuspendedSupervisorIsFinal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.Nothing, every10s...)
		time.Sleep(time.Second)
		s.Suspend()
		s.Trigger()
		s.Stop()
		s.Resume()
		time.Sleep(time.Hour)
		assert.Equal(t, seconds(0), s.begun())
		assert.Equal(t, "stopped", s.state())
	})
}

func TestStopEndsTheContextOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var cause error
		s := supervise(t, pool, func(ctx context.Context) error {
			<-ctx.Done()
			cause = context.Cause(ctx)
			time.Sleep(time.Second)
			return nil
		}, every10s...)
		time.Sleep(2 * time.Second)
		s.Trigger()
		s.Stop()
		assert.Equal(t, "stopped", s.state())
		assert.Equal(t, supervisor.ErrClosed, cause)
		select {
		case <-s.Done():
			t.Error("done, while the body runs")
		default:
		}
		<-s.Done()
		assert.Equal(t, 3*time.Second, time.Since(s.epoch))
		time.Sleep(time.Hour)
		assert.Equal(t, seconds(0), s.begun())
		assert.Empty(t, s.kinds(), "a cycle that is stopped has no outcome")
	})
}

func TestStopWithdrawsARunThatHasNotBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		require.NoError(t, pool.Execute(stubborn(3*time.Second)))
		s := supervise(t, pool, pooltest.Nothing, every10s...)
		time.Sleep(time.Second)
		assert.Equal(t, 1, pool.Stats().Queued)
		s.Stop()
		assert.Equal(t, 0, pool.Stats().Queued)
		<-s.Done()
		time.Sleep(time.Hour)
		assert.Empty(t, s.begun())
	})
}

func TestDoneWaitsForUnfinishedRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), stubborn(time.Minute), append(every10s, supervisor.MaxUnfinished(2))...)
		time.Sleep(30 * time.Second) // the second has started at 25
		s.Stop()
		assert.Equal(t, 2, s.Stats().Unfinished)
		require.ErrorIs(t, s.StopContext(probe.Ended()), context.Canceled)
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.StopContext(limited), context.DeadlineExceeded)
		require.NoError(t, s.StopContext(t.Context()))
		assert.Equal(t, 85*time.Second, time.Since(s.epoch))
		require.NoError(t, s.StopContext(probe.Ended()), "once it is done, the context does not matter")
	})
}

func TestStopFromTheTaskDoesNotWaitForIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *subject
		var err, cause error
		s = prepare(t, newPool(t), func(ctx context.Context) error {
			derived, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			err = s.StopContext(derived)
			cause = context.Cause(ctx)
			return nil
		})
		s.Start()
		<-s.Done()
		assert.Equal(t, future.ErrSelfWait, err)
		assert.Equal(t, supervisor.ErrClosed, cause)
	})
}

func TestATaskMayWaitForAnotherSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		other := supervise(t, pool, stubborn(time.Second))
		var err error
		s := supervise(t, pool, func(ctx context.Context) error {
			err = other.StopContext(ctx)
			return nil
		})
		time.Sleep(2 * time.Second)
		assert.Len(t, s.begun(), 1)
		assert.NoError(t, err)
		assert.Equal(t, "stopped", other.state())
	})
}

// What is withdrawn may be on its way already: nothing of it may count.
func TestWhatComesLateTouchesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		body := pooltest.InTurn(stubborn(17*time.Second), takes(4*time.Second), hang)
		s := supervise(t, newPool(t), func(ctx context.Context) error { begun.Add(1); return body(ctx) },
			append(every10s, supervisor.MaxUnfinished(2))...)
		// The first times out at 5 and returns at 17, while the second, triggered at 15, is
		// running.
		time.Sleep(15 * time.Second)
		s.Trigger()
		time.Sleep(3 * time.Second)
		assert.Equal(t, "running", s.state())
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds())
		time.Sleep(2 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.Succeeded}, s.kinds())
		assert.EqualValues(t, 2, begun.Load())
		assert.Equal(t, s.epoch.Add(29*time.Second), s.Stats().Next)
	})
}

// The goroutine outlives the run, and nothing that it waits for waits for it.
func TestAGoroutineWithADetachedContextOfARunMayStopTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *subject
		stopped := make(chan error, 1)
		s = prepare(t, newPool(t), func(ctx context.Context) error {
			go func() { stopped <- s.StopContext(context.WithoutCancel(ctx)) }()
			<-ctx.Done()
			time.Sleep(time.Second)
			return nil
		})
		s.Start()
		assert.NoError(t, <-stopped)
	})
}

// broken is a context that breaks its contract: its channel is closed, and Err is nil.
type broken struct{ context.Context }

func (broken) Done() <-chan struct{} {
	done := make(chan struct{})
	close(done)
	return done
}

func TestAContextThatBreaksItsContractEndsTheWaitWithAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), func(context.Context) error {
			time.Sleep(time.Hour)
			return nil
		})
		s.Start()
		synctest.Wait()
		assert.ErrorIs(t, s.StopContext(broken{context.Background()}), context.Canceled)
		<-s.Done()
	})
}
