package timer_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/timertest"
)

func TestTimerKeepsTheContract(t *testing.T) {
	recorded(t)
	timertest.Run(t, timertest.Facility{
		New: func(tb testing.TB, _ timer.Config) timer.Scheduler { return timer.New(tb.Name()) },
		Stop: func(s timer.Scheduler) []timer.Handle {
			s.(*timer.Timer).Cancel()
			return nil
		},
		Serial:  true,
		Ordered: true,
		Panics:  timertest.Dies,
	})
}

// stopped returns what the function of a handle holds that is armed for in an hour and stopped.
func stopped(t *testing.T, tm *timer.Timer) weak.Pointer[[1 << 20]byte] {
	thing := new([1 << 20]byte)
	h := tm.AfterFunc(time.Hour, func() { thing[0]++ })
	require.True(t, h.Stop())
	return weak.Make(thing)
}

func TestStopOfAHandleLeavesAShellAndLetsGoOfTheFunction(t *testing.T) {
	tm := timer.New("")
	defer tm.Cancel()
	tm.AfterFunc(time.Minute, nothing) // so that the other does not come to the top
	thing := stopped(t, tm)
	runtime.GC()
	assert.Nil(t, thing.Value())
	assert.Equal(t, 2, timer.Queued(tm))
	assert.Equal(t, 1, tm.Purge())
}

func TestEveryResetOfAHandleLeavesAShell(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		runs := 0
		tm.AfterFunc(time.Minute, nothing) // so that no shell comes to the top
		h := tm.AfterFunc(time.Hour, func() { runs++ })
		for range 100 {
			assert.True(t, h.Reset(time.Hour))
		}
		assert.Equal(t, 102, timer.Queued(tm))
		assert.Equal(t, 100, tm.Purge())
		probe.Elapse(2 * time.Hour)
		assert.Equal(t, 1, runs)
	})
}

func TestAHandleSeesThatItsTimerIsOver(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *timer.Timer) {
		ran, running, stoppedOne, armed := tm.AfterFunc(0, nothing), tm.AfterFunc(1, func() { time.Sleep(time.Hour) }),
			tm.AfterFunc(time.Hour, nothing), tm.AfterFunc(time.Hour, nothing)
		probe.Elapse(time.Second)
		require.True(t, stoppedOne.Stop())
		tm.Cancel()
		refused := tm.AfterFunc(0, nothing)
		synctest.Wait()
		for _, h := range []timer.Handle{ran, running, stoppedOne} {
			assert.NoError(t, timer.Err(h), "it is not the timer that has kept it from running")
		}
		for _, h := range []timer.Handle{armed, refused} {
			assert.Equal(t, timer.ErrClosed, timer.Err(h))
			assert.False(t, h.Stop())
		}
		assert.False(t, ran.Reset(0))
		assert.Equal(t, timer.ErrClosed, timer.Err(ran))
	})
}
