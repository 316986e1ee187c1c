package hashedwheel_test

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestHWT13_ThereIsRoomAgainAsSoonAsOneIsStoppedOrBegins(t *testing.T) {
	config := timer.Config{Tick: tick, Slots: slots, PendingLimit: 2, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		refused := func() {
			t.Helper()
			_, err := w.Schedule(tick, j.Func("refused"))
			assert.ErrorIs(t, err, timer.ErrTooManyPending)
			assert.Equal(t, 2, w.Pending())
		}
		first := w.AfterFunc(tick, j.Func("first"))
		w.AfterFunc(tick, j.Func("second"))
		refused()
		refused()
		require.True(t, first.Stop())
		w.AfterFunc(tick, j.Func("third"))
		refused()
		j.Sleep(tick)
		assert.Equal(t, []string{"second", "third"}, j.Names())
		w.AfterFunc(tick, j.Func("fourth"))
		w.AfterFunc(tick, j.Func("fifth"))
		refused()
	})
}

func TestHWT13_ManyAtOnceGetExactlyTheRoomThereIs(t *testing.T) {
	const limit = 100
	w := hashedwheel.New(timer.Config{PendingLimit: limit})
	defer w.Stop()
	var accepted atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range limit {
				if _, err := w.Schedule(time.Hour, nothing); err == nil {
					accepted.Add(1)
				}
			}
		})
	}
	all.Wait()
	assert.EqualValues(t, limit, accepted.Load())
	assert.Equal(t, limit, w.Pending())
}

func TestHWT14_PendingCountsWhatIsArmedAndNotWhatIsStopped(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		var handles []timer.Handle
		for i := range 300 { // some of them not in a slot yet
			handles = append(handles, w.AfterFunc(100*turn, nothing))
			assert.Equal(t, i+1, w.Pending())
		}
		for i, h := range handles[:200] {
			h.Stop()
			assert.Equal(t, 299-i, w.Pending())
		}
		j.Sleep(100 * turn)
		assert.Zero(t, w.Pending())
	})
}

func TestHWT15_ArmingAfterStopIsRefusedAndNotCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.Stop()
		_, err := w.Schedule(tick, j.Func("late"))
		assert.ErrorIs(t, err, timer.ErrStopped)
		h := w.AfterFunc(0, j.Func("late"))
		assert.ErrorIs(t, timer.Err(h), timer.ErrStopped)
		assert.False(t, h.Reset(tick))
		assert.False(t, h.Stop())
		assert.Zero(t, w.Pending())
		j.Sleep(time.Hour)
		assert.Empty(t, j.Lines())
	})
}

func TestHWT16_StopReturnsWhatItHasKeptFromRunningAndOnlyOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, j.Func("begun"))
		stopped := w.AfterFunc(turn, j.Func("stopped"))
		far, near := w.AfterFunc(9*turn, j.Func("far")), w.AfterFunc(turn, j.Func("near"))
		j.Sleep(tick)
		stopped.Stop()
		fresh := w.AfterFunc(2*turn, j.Func("fresh")) // in no slot yet
		assert.Equal(t, []timer.Handle{near, fresh, far}, w.Stop())
		assert.Empty(t, w.Stop())
		assert.False(t, near.Reset(tick), "a stopped wheel does not start again")
		j.Sleep(time.Hour)
		assert.Equal(t, []string{"begun"}, j.Names())
	})
	assert.Empty(t, hashedwheel.New(timer.Config{}).Stop(), "nothing was ever armed")
}

func TestHWT17_AFunctionMayStopItsOwnWheel(t *testing.T) {
	for _, executor := range []timer.Executor{nil, wheeltest.Inline} {
		config := timer.Config{Tick: tick, Executor: executor}
		withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			other := w.AfterFunc(2*tick, j.Func("other"))
			var returned []timer.Handle
			w.AfterFunc(tick, func() { returned = w.Stop() })
			j.Sleep(turn)
			assert.Equal(t, []timer.Handle{other}, returned)
			assert.Empty(t, j.Lines())
		})
	}
}

func TestHWT18_StopNeitherWaitsForARunningFunctionNorDisturbsIt(t *testing.T) {
	for _, executor := range []timer.Executor{nil, wheeltest.Inline} {
		config := timer.Config{Tick: tick, Executor: executor}
		withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			end := j.Func("end")
			w.AfterFunc(tick, func() {
				time.Sleep(time.Hour)
				end()
			})
			j.Sleep(tick)
			w.Stop()
			assert.Equal(t, tick, j.Now())
			j.Sleep(2 * time.Hour)
			assert.Equal(t, []string{at("end", tick+time.Hour)}, j.Lines())
		})
	}
}

func TestHWT19_ArmingManyDoesNotHoldUpWhatIsDue(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() {
			for range 50_000 {
				w.AfterFunc(turn, nothing)
			}
		})
		w.AfterFunc(tick, j.Func("due"))
		j.Sleep(tick)
		assert.Equal(t, []string{at("due", tick)}, j.Lines())
		j.Sleep(2 * turn)
		assert.Zero(t, w.Pending())
	})
}

func TestHWT20_AfterAnOversleepWhatIsDueRunsInOrderAndEmptyTicksAreJumpedOver(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() { time.Sleep(2 * time.Hour) }) // holds up the wheel, inline
		for _, at := range []time.Duration{3 * turn, 5 * tick, time.Hour, turn + tick, turn} {
			w.AfterFunc(at, j.Func(at.String()))
		}
		end := tick + 2*time.Hour
		w.AfterFunc(end+tick, j.Func("on time"))
		j.Sleep(3 * time.Hour)
		assert.Equal(t, []string{at("50ms", end), at("80ms", end), at("90ms", end), at("240ms", end), at("1h0m0s", end), at("on time", end+tick)}, j.Lines())
		assert.EqualValues(t, 2, w.Wakeups())
	})
}

func TestHWT21_FunctionsOfOneTickBeginInOrderOfTheirDeadlinesThenOfArming(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		for _, d := range []time.Duration{9, 7, 10, 1, 7, 3} {
			w.AfterFunc(d*ms, j.Func(fmt.Sprint(d)))
		}
		later := w.AfterFunc(2*turn, j.Func("7, reset"))
		later.Reset(7 * ms)
		j.Sleep(tick)
		assert.Equal(t, []string{"1ns", "3ns", "7ns", "7ns", "7, reset", "9ns", "10ns"}, j.Names())
	})
}

func TestHWT22_APanicIsToldAndARefusalIsNotLost(t *testing.T) {
	full, told := errors.New("full"), []any(nil)
	refuse := false
	config := timer.Config{
		Tick: tick,
		Executor: func(f func()) error {
			if refuse {
				return full
			}
			f()
			return nil
		},
		OnPanic: func(v any, stack []byte) { told = append(told, v, len(stack) > 0) },
	}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() { panic("oh") })
		w.AfterFunc(tick, j.Func("next"))
		j.Sleep(tick)
		assert.Equal(t, []any{"oh", true}, told)
		assert.Equal(t, []string{"next"}, j.Names())

		refuse = true
		h := w.AfterFunc(tick, j.Func("second try"))
		j.Sleep(2 * tick)
		assert.ErrorIs(t, timer.Err(h), timer.ErrRejected)
		assert.NotErrorIs(t, timer.Err(h), timer.ErrStopped)
		assert.Zero(t, w.Pending())
		assert.False(t, h.Stop())
		refuse = false
		assert.False(t, h.Reset(tick))
		assert.NoError(t, timer.Err(h))
		j.Sleep(3 * tick)
		assert.Equal(t, []string{"next", "second try"}, j.Names())
	})
}

func TestHWT24_AThousandWheelsNeedNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun := 0
		for range 1000 {
			hashedwheel.New(timer.Config{Executor: wheeltest.Inline}).AfterFunc(time.Hour, func() { begun++ })
			synctest.Wait() // one at a time
		}
		assert.Zero(t, wheeltest.Goroutines())
	})
}

func TestHWT25_ArmingThatRacesWithStopHasOneEnd(t *testing.T) {
	for range 300 {
		const armers, each = 2, 50
		w := hashedwheel.New(timer.Config{})
		handles := make([][]timer.Handle, armers)
		var all sync.WaitGroup
		for g := range armers {
			all.Go(func() {
				for range each {
					if h, err := w.Schedule(time.Hour, nothing); err == nil {
						handles[g] = append(handles[g], h)
					}
				}
			})
		}
		returned := map[timer.Handle]bool{}
		all.Go(func() {
			for _, h := range w.Stop() {
				returned[h] = true
			}
		})
		all.Wait()
		accepted := 0
		for _, own := range handles {
			for _, h := range own {
				accepted++
				require.True(t, returned[h], "accepted, and neither run nor returned")
			}
		}
		require.Len(t, returned, accepted)
		require.Zero(t, w.Pending())
	}
}
