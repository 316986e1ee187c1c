package supervisor_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// Suspend and Resume, in every state.

func TestSuspendBeforeStartHoldsTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := prepare(t, newPool(t), pooltest.Nothing, append(every10s, supervisor.InitialDelay(3*time.Second))...)
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
		s := prepare(t, newPool(t), pooltest.Nothing, every10s...)
		s.Suspend()
		s.Resume()
		assert.Equal(t, "new", s.state())
		s.Start()
		assert.Equal(t, seconds(0), s.begun())
	})
}

func TestSuspendWhileWaitingWithdrawsTheNextRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.Nothing, every10s...)
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
		s := supervise(t, newPool(t), pooltest.Nothing, every10s...)
		time.Sleep(6 * time.Second)
		s.Resume()
		time.Sleep(4 * time.Second)
		assert.Equal(t, seconds(0, 10), s.begun())
	})
}
