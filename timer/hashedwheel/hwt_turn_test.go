package hashedwheel_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestHWT19_ArmingManyDoesNotHoldUpWhatIsDue(t *testing.T) {
	for _, held := range []time.Duration{0, 3 * tick} {
		inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			const many = 50_000
			w.AfterFunc(tick, func() {
				time.Sleep(held) // holds up the wheel, inline
				for range many {
					w.AfterFunc(0, j.Func("at once"))
				}
			})
			w.AfterFunc(tick, j.Func("due"))
			w.AfterFunc(3*tick, j.Func("third tick"))
			now := tick + held
			var want []string
			for range many {
				want = append(want, at("at once", now))
			}
			if due := at("due", now); held > 0 {
				want = append([]string{due, at("third tick", now)}, want...)
			} else {
				want = append(append([]string{due}, want...), at("third tick", 3*tick))
			}
			j.Sleep(turn)
			assert.Equal(t, want, j.Lines())
			assert.Zero(t, w.Armed())
		})
	}
}

func TestHWT20_B43_AfterAnOversleepWhatIsDueRunsInOrderAndEmptyTicksAreJumpedOver(t *testing.T) {
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
		assert.NotErrorIs(t, timer.Err(h), timer.ErrClosed)
		assert.Zero(t, w.Armed())
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
		var begun atomic.Int64
		for range 1000 {
			hashedwheel.New(timer.Config{Executor: wheeltest.Inline}).AfterFunc(time.Hour, func() { begun.Add(1) })
			synctest.Wait() // one at a time
		}
		assert.Zero(t, wheeltest.Goroutines())
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.EqualValues(t, 1000, begun.Load())
		assert.Zero(t, wheeltest.Goroutines())
	})
}
