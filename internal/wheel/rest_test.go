package wheel

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// The dial arms a timer when the turn asks it for the next tick: the intake has been emptied for
// the last time, and the wheel still says that it is awake.
func TestATimerArmedAsATurnEndsIsNotOverlooked(t *testing.T) {
	for _, d := range []time.Duration{0, ms, time.Hour} {
		inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
			start, begun, armed := time.Now(), time.Duration(-1), false
			p.onNext = func() {
				if !armed {
					armed = true
					w.AfterFunc(d, func() { begun = time.Since(start) })
				}
			}
			w.AfterFunc(0, nothing)
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			assert.Equal(t, d, begun)
			assert.NoError(t, w.Validate())
		})
	}
}

// In real time a goroutine arms the only timer at the very moment at which the turn of the last one
// ends. Nothing else would wake the wheel if this one were overlooked.
func TestNoWakeUpIsLostWhileATurnEnds(t *testing.T) {
	p := &plain{}
	w := New(timer.Config{Tick: 1, Executor: inline}, p)
	defer w.Close(nil)
	var begun, spun atomic.Int64
	for round := range int64(80_000) {
		w.AfterFunc(0, func() { begun.Add(1) })
		require.True(t, comes(func() bool { return begun.Load() > round }), "round %d has not begun, %d in the intake", round, w.kept())
		for range rand.IntN(100) { // the turn goes on meanwhile
			spun.Add(1)
		}
	}
}

// comes waits actively, so as to lose no time when it has come.
func comes(it func() bool) bool {
	for begin, n := time.Now(), 1; !it(); n++ {
		if n%1000 == 0 {
			runtime.Gosched()
			if time.Since(begin) > patience {
				return false
			}
		}
	}
	return true
}

func TestAnEarlierTimerBringsTheAlarmForward(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		start := time.Now()
		var begun []time.Duration
		for _, d := range []time.Duration{time.Hour, time.Minute, 2 * time.Hour, time.Second} {
			w.AfterFunc(d, func() { begun = append(begun, time.Since(start)) })
		}
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{time.Second, time.Minute, time.Hour, 2 * time.Hour}, begun)
		assert.EqualValues(t, 4, w.Wakeups())
	})
}

func TestALaterTimerLeavesTheWheelAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
		w.AfterFunc(time.Hour, nothing)
		for range backlog - 1 {
			w.AfterFunc(2*time.Hour, nothing)
		}
		assert.Equal(t, backlog-1, w.kept(), "they wait until somebody has the lock anyway")
		assert.Len(t, p.timers, 1)
		w.AfterFunc(2*time.Hour, nothing)
		assert.Zero(t, w.kept())
		assert.NoError(t, w.Validate())
		time.Sleep(3 * time.Hour)
		synctest.Wait()
		assert.EqualValues(t, 2, w.Wakeups())
		assert.Zero(t, w.Armed())
	})
}

func TestATurnThatFindsNothingSetsNoAlarm(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		require.True(t, w.AfterFunc(time.Hour, nothing).Stop())
		w.AfterFunc(0, nothing)
		time.Sleep(24 * time.Hour)
		synctest.Wait()
		assert.EqualValues(t, 1, w.Wakeups())
		assert.False(t, w.alarm.Stop(), "there is nothing to ring for")
	})
}

func TestATurnThatIsHeldUpLeavesNothingBehindTheHand(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		var begun []int
		w.AfterFunc(ms, func() {
			time.Sleep(10 * ms)
			w.AfterFunc(ms, func() { begun = append(begun, 12) })
		})
		for _, d := range []int{5, 3, 20} {
			w.AfterFunc(time.Duration(d)*ms, func() { begun = append(begun, d) })
		}
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, []int{3, 5, 12, 20}, begun)
	})
}

// The alarm is late, and somebody else has the lock first.
func TestWhoComesBeforeTheAlarmDoesWhatIsDue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		begun := false
		w.AfterFunc(ms, func() { begun = true })
		require.True(t, w.alarm.Stop())
		time.Sleep(5 * ms)
		w.look()
		synctest.Wait()
		assert.True(t, begun)
	})
}

// Between the two halves of Stop the timer is armed anew.
func TestAStopThatIsOvertakenByAResetLeavesTheNewArming(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
		begun := false
		h := w.AfterFunc(time.Hour, func() { begun = true })
		was, ok := h.(*Timer).disarm(idle)
		require.True(t, ok)
		require.Equal(t, placed, was)
		require.False(t, h.Reset(ms))
		w.unlink(h.(*Timer))
		w.mu.Lock()
		kept := len(p.timers)
		w.mu.Unlock()
		require.Equal(t, 1, kept)
		time.Sleep(ms)
		synctest.Wait()
		assert.True(t, begun)
	})
}

// A function that arms itself anew, without delay and inline, never lets the turn end.
func TestAFunctionThatIsAlwaysDueDoesNotKeepOthersWaiting(t *testing.T) {
	p := &plain{}
	w := New(timer.Config{Tick: 10 * time.Microsecond, Executor: inline}, p)
	defer w.Close(nil)
	var over atomic.Bool
	var again func()
	again = func() {
		if !over.Load() {
			w.AfterFunc(0, again)
		}
	}
	w.AfterFunc(0, again)
	begun := make(chan struct{})
	w.AfterFunc(ms, func() { close(begun) })
	select {
	case <-begun:
	case <-time.After(patience):
		assert.Fail(t, "it has not begun")
	}
	over.Store(true)
}
