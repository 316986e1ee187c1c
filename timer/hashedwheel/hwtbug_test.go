package hashedwheel_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// The tests of this file are named after bugs that wheels like this one have had.

func TestHWTBug_TheLimitDoesNotGrowByStopsInsideTheGoalTick(t *testing.T) {
	var shelf wheeltest.Shelf
	config := timer.Config{Tick: tick, PendingLimit: 3, Executor: shelf.Execute}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		for range 10 {
			h := w.AfterFunc(tick, nothing)
			j.Sleep(j.Now() + tick)
			require.True(t, h.Stop())
			shelf.Clear()
		}
		for range 3 {
			_, err := w.Schedule(tick, nothing)
			require.NoError(t, err)
		}
		_, err := w.Schedule(tick, nothing)
		assert.ErrorIs(t, err, timer.ErrSaturated)
	})
}

func TestHWTBug_B15_WhatStopReturnsIsStopped(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, j.Func("returned"))
		for _, h := range w.Close() {
			assert.ErrorIs(t, timer.Err(h), timer.ErrClosed)
			assert.False(t, h.Stop())
		}
		j.Sleep(turn)
		assert.Empty(t, j.Lines())
	})
}

func TestHWTBug_OneOfALaterTurnNeitherBeginsEarlyNorHidesThoseBehindIt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick+2*turn, j.Func("third turn"))
		w.AfterFunc(tick+turn, j.Func("second turn"))
		w.AfterFunc(tick, j.Func("first turn"))
		w.AfterFunc(tick+turn, j.Func("second turn again"))
		j.Sleep(time.Hour)
		assert.Equal(t, []string{
			at("first turn", tick), at("second turn", tick+turn), at("second turn again", tick+turn), at("third turn", tick+2*turn),
		}, j.Lines())
		assert.EqualValues(t, 3, w.Wakeups())
	})
}

func TestHWTBug_B11_NegativeAndOverflowingDelaysInAnOldWheel(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		const year = 365 * 24 * time.Hour
		j.Sleep(100 * year)
		w.AfterFunc(-10*time.Second, j.Func("negative"))
		w.AfterFunc(math.MaxInt64-50*year, j.Func("overflowing"))
		j.Sleep(150 * year)
		assert.Equal(t, []string{at("negative", 100*year)}, j.Lines())
	})
}

func TestHWTBug_AWheelWithATickOfAMillisecondSleepsAsWell(t *testing.T) {
	withConfig(t, timer.Config{Tick: ms}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(25*time.Hour, nothing)
		j.Sleep(24 * time.Hour)
		assert.Zero(t, w.Wakeups())
	})
}

func TestHWTBug_ASlowFunctionDoesNotHoldUpTheWheel(t *testing.T) {
	withConfig(t, timer.Config{Tick: tick}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() { time.Sleep(time.Hour) })
		w.AfterFunc(2*tick, j.Func("next"))
		j.Sleep(2 * time.Hour)
		assert.Equal(t, []string{at("next", 2*tick)}, j.Lines())
	})
}

func TestHWTBug_ASlotReceivesItsNextTurnWhileItIsEmptied(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
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

func TestHWTBug_MoreThanTwoToTheThirtyFirstTicks(t *testing.T) {
	withConfig(t, timer.Config{Tick: ms, Executor: wheeltest.Inline}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		for _, n := range []time.Duration{1 << 31, 1 << 32} {
			left := n*ms - j.Now()
			w.AfterFunc(left-ms, j.Func("before"))
			w.AfterFunc(left, j.Func("at"))
			w.AfterFunc(left+ms, j.Func("after"))
			j.Sleep(n*ms - 2*ms)
			w.AfterFunc(2*ms, j.Func("across"))
			j.Sleep(n*ms + 2*ms)
		}
		var want []string
		for _, n := range []time.Duration{1 << 31, 1 << 32} {
			want = append(want, at("before", n*ms-ms), at("at", n*ms), at("across", n*ms), at("after", n*ms+ms))
		}
		assert.Equal(t, want, j.Lines())
	})
}

func TestHWTBug_ADelayThatIsAMultipleOfTheTurn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		for n := range time.Duration(5) {
			w.AfterFunc((n+1)*turn, j.Func("multiple"))
		}
		j.Sleep(time.Hour)
		var want []string
		for n := range time.Duration(5) {
			want = append(want, at("multiple", (n+1)*turn))
		}
		assert.Equal(t, want, j.Lines())
	})
}
