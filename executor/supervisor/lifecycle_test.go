package supervisor_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

// Start, Stop, Suspend, Resume and Trigger, in every state.

var every10s = []supervisor.Option{supervisor.Interval(10 * time.Second), supervisor.Timeout(5 * time.Second), supervisor.Bound(8)}

func TestSuspendBeforeStartHoldsTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), succeed, append(every10s, supervisor.InitialDelay(3*time.Second))...)
		s.Suspend()
		assert.Equal(t, "new", s.state())
		s.Start()
		assert.Equal(t, "suspended", s.state())
		time.Sleep(time.Minute)
		s.Resume()
		time.Sleep(20 * time.Second)
		assert.Equal(t, seconds(63, 73), s.begun(), "after the initial delay")
	})
}

func TestResumeBeforeStartTakesSuspendBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), succeed, every10s...)
		s.Suspend()
		s.Resume()
		assert.Equal(t, "new", s.state())
		s.Start()
		assert.Equal(t, seconds(0), s.begun())
	})
}

func TestSuspendWhileWaitingWithdrawsTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), succeed, every10s...)
		time.Sleep(5 * time.Second)
		s.Suspend()
		s.Suspend()
		assert.Equal(t, "suspended", s.state())
		assert.Zero(t, s.Stats().Next)
		time.Sleep(24 * time.Hour)
		assert.Equal(t, 0, goroutines())
		s.Resume()
		assert.Equal(t, "waiting", s.state())
		time.Sleep(10 * time.Second)
		assert.Equal(t, []time.Duration{0, 24*time.Hour + 15*time.Second}, s.begun(), "the interval counts from Resume")
	})
}

func TestResumeKeepsTheDelayThatHasGrown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, every10s...)
		time.Sleep(6 * time.Second) // timed out at 5, the next at 25
		s.Suspend()
		time.Sleep(4 * time.Second)
		s.Resume()
		time.Sleep(20 * time.Second)
		assert.Equal(t, seconds(0, 30), s.begun())
	})
}

// The arm rings at the very moment: either the run has begun before Suspend, or it does not begin.
func TestSuspendAndResumeLeaveNothingOfTheOldArm(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(time.Nanosecond), every10s...)
		for range 500 {
			time.Sleep(20 * time.Second)
			s.Trigger()
			synctest.Wait()
			time.Sleep(10*time.Second + time.Nanosecond)
			s.Suspend()
			s.Resume()
			before := s.Stats()
			synctest.Wait()
			if before.State == "waiting" {
				require.Equal(t, before.Next, s.Stats().Next)
			}
		}
	})
}

func TestSuspendDuringARunLetsItFinish(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(4*time.Second), every10s...)
		time.Sleep(time.Second)
		s.Suspend()
		assert.Equal(t, "running", s.state())
		time.Sleep(4 * time.Second)
		assert.Equal(t, "suspended", s.state())
		assert.EqualValues(t, 1, s.Stats().Succeeded)
		time.Sleep(time.Minute)
		assert.Equal(t, seconds(0), s.begun())
	})
}

func TestResumeDuringTheSameRunChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(4*time.Second), every10s...)
		time.Sleep(time.Second)
		s.Suspend()
		s.Resume()
		time.Sleep(13 * time.Second)
		assert.Equal(t, seconds(0, 14), s.begun())
	})
}

func TestSuspendHoldsWhatFollowsATimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, every10s...)
		time.Sleep(time.Second)
		s.Suspend()
		time.Sleep(time.Hour)
		assert.Equal(t, "suspended", s.state())
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds())
	})
}

func TestResumeOfWhatIsNotSuspendedDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), succeed, every10s...)
		time.Sleep(6 * time.Second)
		s.Resume()
		time.Sleep(4 * time.Second)
		assert.Equal(t, seconds(0, 10), s.begun())
	})
}

func TestTriggerReplacesTheRunThatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), succeed, every10s...)
		time.Sleep(7 * time.Second)
		for range 5 {
			s.Trigger()
		}
		assert.Equal(t, seconds(0, 7), s.begun(), "many are one")
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(0, 7, 17), s.begun(), "the interval starts again")
	})
}

func TestTriggerInALoopDoesNotPutOffTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		s := supervise(t, newPool(t), func(context.Context) error { runs.Add(1); return nil }, supervisor.Interval(time.Hour))
		for n := range int64(1000) {
			for runs.Load() <= n {
				s.Trigger()
				runtime.Gosched()
			}
		}
	})
}

func TestTriggerDuringARunAddsOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(4*time.Second), every10s...)
		for range 3 {
			time.Sleep(time.Second)
			s.Trigger()
		}
		time.Sleep(20 * time.Second)
		assert.Equal(t, seconds(0, 4, 18), s.begun())
	})
}

func TestTriggerDuringARunAddsOneOnAPoolThatHandsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1, executor.MaximumSize(2), executor.HandOff())
		s := supervise(t, pool, takes(4*time.Second), every10s...)
		time.Sleep(time.Second)
		s.Trigger()
		time.Sleep(4 * time.Second)
		assert.Equal(t, seconds(0, 4), s.begun())
		assert.Zero(t, s.Stats().Rejected)
	})
}

func TestTriggerFromTheTaskRunsItAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s *subject
		n := 0
		s = prepare(t, newPool(t), func(context.Context) error {
			if n++; n < 5 {
				s.Trigger()
			}
			return nil
		}, every10s...)
		s.Start()
		assert.Equal(t, seconds(0, 0, 0, 0, 0), s.begun())
	})
}

func TestTriggerFollowsATimeoutOnceTheRunHasReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(hang, stubborn(8*time.Second), succeed), every10s...)
		time.Sleep(time.Second)
		s.Trigger()
		time.Sleep(5 * time.Second)
		s.Trigger()
		time.Sleep(6 * time.Second)
		assert.Equal(t, seconds(0, 5), s.begun(), "the second has timed out at 10 and goes on")
		time.Sleep(time.Second)
		assert.Equal(t, seconds(0, 5, 13), s.begun())
		assert.Empty(t, s.capped)
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(0, 5, 13, 23), s.begun(), "once")
	})
}

func TestTriggerWhileCappedWaitsForAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), inTurn(stubborn(100*time.Second), succeed), every10s...)
		// Timed out at 5, capped at 25 and 65.
		time.Sleep(30 * time.Second)
		for range 3 {
			s.Trigger()
		}
		time.Sleep(69 * time.Second)
		assert.Equal(t, seconds(0), s.begun())
		require.Len(t, s.capped, 2)
		assert.Equal(t, s.epoch.Add(65*time.Second), s.capped[1].Started, "it puts nothing off")
		time.Sleep(time.Second)
		assert.Equal(t, seconds(0, 100), s.begun())
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(0, 100, 110), s.begun())
	})
}

func TestTriggerBeforeStartSkipsTheInitialDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), succeed, append(every10s, supervisor.InitialDelay(time.Hour))...)
		s.Trigger()
		time.Sleep(time.Minute)
		assert.Empty(t, s.begun())
		s.Start()
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(60, 70), s.begun())
	})
}

func TestTriggerWhileSuspendedIsKeptForResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), succeed, every10s...)
		time.Sleep(time.Second)
		s.Suspend()
		s.Trigger()
		s.Trigger()
		time.Sleep(time.Minute)
		assert.Equal(t, seconds(0), s.begun())
		s.Resume()
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(0, 61, 71), s.begun())
	})
}

func TestTriggerBeforeSuspendIsKeptForResume(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), takes(4*time.Second), every10s...)
		time.Sleep(time.Second)
		s.Trigger()
		s.Suspend()
		time.Sleep(time.Minute)
		assert.Equal(t, seconds(0), s.begun())
		s.Resume()
		assert.Equal(t, seconds(0, 61), s.begun())
	})
}

func TestTriggerLeavesTheDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), hang, every10s...)
		time.Sleep(6 * time.Second)
		s.Trigger()
		time.Sleep(6 * time.Second)
		assert.Equal(t, seconds(20, 40), s.delays())
	})
}

func TestStopBeforeStartKeepsItFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), succeed)
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
		s := supervise(t, newPool(t), succeed, every10s...)
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
		assert.Equal(t, supervisor.ErrStopped, cause)
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
		s := supervise(t, pool, succeed, every10s...)
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
		require.ErrorIs(t, s.StopContext(ended()), context.Canceled)
		limited, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, s.StopContext(limited), context.DeadlineExceeded)
		require.NoError(t, s.StopContext(t.Context()))
		assert.Equal(t, 85*time.Second, time.Since(s.epoch))
		require.NoError(t, s.StopContext(ended()), "once it is done, the context does not matter")
	})
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
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
		assert.Equal(t, supervisor.ErrStopped, cause)
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
		body := inTurn(stubborn(17*time.Second), takes(4*time.Second), hang)
		s := supervise(t, newPool(t), func(ctx context.Context) error { begun.Add(1); return body(ctx) },
			append(every10s, supervisor.MaxUnfinished(2))...)
		// The first times out at 5 and returns at 17, while the second, triggered at 15, is running.
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
