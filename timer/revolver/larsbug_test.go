package revolver_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

// The tests of this file are named after bugs that wheels like this one have had.

func TestLARSBug_AReturnedFunctionDoesNotRunAtShutdown(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(24*time.Hour, j.Func("daily"))
		assert.Len(t, w.CloseFunc(nil), 1)
		j.Sleep(48 * time.Hour)
		assert.Empty(t, j.Lines())
	})
}

func TestLARSBug_AWholeNumberOfTicksIsNotRoundedUpByOne(t *testing.T) {
	for _, tick := range []time.Duration{ms, 3 * ms, 7 * ms, 100 * time.Microsecond} {
		config := timer.Config{Tick: tick, Executor: wheeltest.Inline}
		withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
			var want []string
			for n := range time.Duration(300) {
				w.AfterFunc(n*tick, j.Func("f"))
				want = append(want, at("f", n*tick))
			}
			j.Sleep(time.Hour)
			assert.Equal(t, want, j.Lines())
		})
	}
}

func TestLARSBug_ASlotReceivesItsNextTurnWhileItIsEmptied(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		const many = 3*wheel.Piece + 1
		begun := map[time.Duration]int{}
		for range many {
			w.AfterFunc(tick, func() {
				begun[j.Now()]++
				w.AfterFunc(turn, func() { begun[j.Now()]++ })
			})
		}
		j.Sleep(10 * turn)
		assert.Equal(t, map[time.Duration]int{tick: many, tick + turn: many}, begun)
		assert.NoError(t, w.Validate())
	})
}

func TestLARSBug_AThrottleOfATickTakesATickNotThree(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		left := 100
		var h timer.Handle
		last := j.Func("last")
		h = w.AfterFunc(time.Hour, func() {
			if left--; left > 0 {
				h.Reset(tick)
				return
			}
			last()
		})
		h.Reset(tick) // now the function knows its handle
		j.Sleep(time.Hour)
		assert.Equal(t, []string{at("last", 100*tick)}, j.Lines())
	})
}
