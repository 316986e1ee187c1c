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
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// Trigger, in every state.

func TestTriggerReplacesTheRunThatIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.Nothing, every10s...)
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
		pool := fixed(t, 1, executor.MaximumSize(2), executor.Queue(queue.HandOff()))
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
		s := supervise(t, newPool(t), pooltest.InTurn(hang, stubborn(8*time.Second), pooltest.Nothing), every10s...)
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
		s := supervise(t, newPool(t), pooltest.InTurn(stubborn(100*time.Second), pooltest.Nothing), every10s...)
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
		s := prepare(t, newPool(t), pooltest.Nothing, append(every10s, supervisor.InitialDelay(time.Hour))...)
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
		s := supervise(t, newPool(t), pooltest.Nothing, every10s...)
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
