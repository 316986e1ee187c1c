package revolver_test

import (
	"errors"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

// The tests of these files answer the rows LARS, the behaviour of Akka's
// LightArrayRevolverScheduler.

const (
	ms = time.Millisecond

	tick  = 10 * ms
	slots = 8
	turn  = slots * tick
)

// at is a line of the journal.
func at(name string, d time.Duration) string { return wheeltest.At(name, d) }

// inBubble runs f in a bubble with a wheel of 8 slots of 10 ms, which calls functions in order, and
// a journal that was begun with it.
func inBubble(t *testing.T, f func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	withConfig(t, timer.Config{Tick: tick, Slots: slots, Executor: wheeltest.Inline}, f)
}

func withConfig(t *testing.T, c timer.Config, f func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, j := revolver.New(c), wheeltest.NewJournal()
		defer w.Close()
		f(t, w, j)
	})
}

func TestLARS01_TheDefaultsAreAkkasAndSlotsAreRoundedUp(t *testing.T) {
	assert.Equal(t, 10*ms, revolver.DefaultTick)
	assert.Equal(t, 512, revolver.DefaultSlots)
	for asked, want := range map[int]int{1: 1, 2: 2, 31: 32, 32: 32, 33: 64} {
		assert.Equal(t, want, wheel.Complete(timer.Config{Slots: asked}, "", tick, 1, true).Slots, asked)
	}
	withConfig(t, timer.Config{}, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(1, j.Func("f"))
		j.Sleep(time.Second)
		assert.Equal(t, []string{at("f", revolver.DefaultTick)}, j.Lines())
		assert.Equal(t, revolver.DefaultSlots, w.Slots())
	})
}

func TestLARS01_A12_ABadConfigurationPanics(t *testing.T) {
	for text, bad := range map[string]timer.Config{
		"revolver: negative tick -1ns":                          {Tick: -1},
		"revolver: -1 slots are not between 1 and 1048576":      {Slots: -1},
		"revolver: 1048577 slots are not between 1 and 1048576": {Slots: 1<<20 + 1},
		"revolver: negative pending limit -1":                   {PendingLimit: -1},
	} {
		assert.PanicsWithValue(t, text, func() { revolver.New(bad) })
	}
}

func TestLARS01_AWheelOfFiveSlotsHasEightAndIsRightOverSeveralTurns(t *testing.T) {
	config := timer.Config{Tick: tick, Slots: 5, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		assert.Equal(t, 8, w.Slots())
		var want []string
		for n := range time.Duration(5 * 8) { // the farthest first
			w.AfterFunc((5*8-n)*tick, j.Func("f"))
			want = append(want, at("f", (n+1)*tick))
		}
		j.Sleep(8 * tick)
		assert.NoError(t, w.Validate())
		j.Sleep(time.Hour)
		assert.Equal(t, want, j.Lines())
		assert.EqualValues(t, len(want), w.Wakeups())
	})
}

func TestLARS02_ADelayCountsFromWhenItIsArmedThoughTheWheelOversleeps(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() { time.Sleep(30 * tick) }) // holds up the wheel, inline
		j.Sleep(2 * tick)
		w.AfterFunc(5*tick, j.Func("overdue"))
		w.AfterFunc(40*tick, j.Func("on time"))
		j.Sleep(time.Hour)
		assert.Equal(t, []string{at("overdue", 31*tick), at("on time", 42*tick)}, j.Lines())
	})
}

func TestLARS03_NoFunctionBeginsBeforeItsDelay(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		begun := 0
		for range 50 {
			for _, d := range []time.Duration{1, ms, tick - 1, tick, tick + 1, turn - 1, turn, turn + 1, 5 * turn} {
				deadline := j.Now() + d
				w.AfterFunc(d, func() {
					begun++
					assert.GreaterOrEqual(t, j.Now(), deadline)
				})
			}
			j.Sleep(j.Now() + 3*ms)
		}
		j.Sleep(time.Hour)
		assert.Equal(t, 50*9, begun)
	})
}

func TestLARS04_AFunctionIsLessThanOneTickLateNotUpToThree(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		latest := time.Duration(0)
		for range 50 {
			for _, d := range []time.Duration{1, ms, tick - 1, tick, tick + 1, turn, 5 * turn} {
				deadline := j.Now() + d
				w.AfterFunc(d, func() { latest = max(latest, j.Now()-deadline) })
			}
			j.Sleep(j.Now() + 3*ms)
		}
		j.Sleep(time.Hour)
		assert.Equal(t, tick-1, latest)
	})
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(3*tick, j.Func("whole ticks"))
		j.Sleep(time.Second)
		assert.Equal(t, []string{at("whole ticks", 3*tick)}, j.Lines())
	})
}

func TestLARS05_WhatIsDueAtOnceHasAHandleToo(t *testing.T) {
	var shelf wheeltest.Shelf
	config := timer.Config{Tick: tick, Slots: slots, Executor: shelf.Execute}
	withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		j.Sleep(3 * ms)
		stopped, reset := w.AfterFunc(0, j.Func("stopped")), w.AfterFunc(-1, j.Func("reset"))
		w.AfterFunc(math.MinInt64, j.Func("at once"))
		synctest.Wait()
		assert.True(t, stopped.Stop())
		assert.True(t, reset.Reset(time.Hour))
		shelf.Clear()
		assert.Equal(t, []string{at("at once", 3*ms)}, j.Lines())
		assert.Equal(t, 1, w.Armed())
	})
}

func TestLARS06_NoDelayIsTooFar(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		const limit = (1<<31 - 1) * tick
		for name, d := range map[string]time.Duration{"before": limit, "beyond": limit + tick, "never": math.MaxInt64} {
			_, err := w.Schedule(d, j.Func(name))
			require.NoError(t, err)
		}
		j.Sleep(2 * limit)
		assert.Equal(t, []string{at("before", limit), at("beyond", limit+tick)}, j.Lines())
		assert.Equal(t, 1, w.Armed())
	})
}

func TestLARS07_StopIsTrueOnceAndOnlyBeforeTheFunctionBegins(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		stopped, begun := w.AfterFunc(tick, j.Func("stopped")), w.AfterFunc(tick, j.Func("begun"))
		assert.True(t, stopped.Stop())
		assert.False(t, stopped.Stop())
		assert.NoError(t, timer.Err(stopped), "it was its owner who stopped it")
		assert.NoError(t, w.Validate())
		j.Sleep(tick)
		assert.False(t, begun.Stop())
		assert.Equal(t, []string{"begun"}, j.Names())
		assert.Zero(t, w.Armed())
	})
}

func TestLARS08_B51_ARefusalByTheExecutorIsToldAndNotLost(t *testing.T) {
	executor := func(func()) error { return errors.New("full") }
	withConfig(t, timer.Config{Executor: executor}, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		h := w.AfterFunc(tick, j.Func("refused"))
		j.Sleep(tick)
		assert.ErrorIs(t, timer.Err(h), timer.ErrRejected)
		assert.Zero(t, w.Armed())
		assert.False(t, h.Reset(tick), "it may be tried again")
		assert.Equal(t, 1, w.Armed())
		assert.NoError(t, timer.Err(h))
	})
}

func TestLARS09_TurnsAreToldApart(t *testing.T) {
	for _, n := range []int{1, 2, 8} {
		config := timer.Config{Tick: tick, Slots: n, Executor: wheeltest.Inline}
		withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
			var want []string
			for i := range time.Duration(50) { // all at once, the farthest first
				w.AfterFunc((50-i)*tick, j.Func("f"))
				want = append(want, at("f", (i+1)*tick))
			}
			j.Sleep(time.Hour)
			assert.Equal(t, want, j.Lines(), "%d slots", n)
			assert.EqualValues(t, 50, w.Wakeups())
		})
	}
}

func TestLARS09_ADelayThatIsAMultipleOfTheTurn(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		var want []string
		for n := range time.Duration(5) {
			w.AfterFunc((n+1)*turn, j.Func("f"))
			want = append(want, at("f", (n+1)*turn))
		}
		j.Sleep(time.Hour)
		assert.Equal(t, want, j.Lines())
	})
}

func TestLARS10_B43_SeveralSlotsThatAreDueAreEmptiedOneAfterTheOther(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, func() { time.Sleep(10 * turn) })
		for _, d := range []time.Duration{7, 3, 30, 5, 13, 4} {
			w.AfterFunc(d*tick, j.Func((d * tick).String()))
		}
		end := tick + 10*turn
		j.Sleep(end)
		assert.Equal(t, []string{at("30ms", end), at("40ms", end), at("50ms", end), at("70ms", end), at("130ms", end), at("300ms", end)}, j.Lines())
		assert.EqualValues(t, 1, w.Wakeups())
	})
}

func TestLARS11_TheCountOfTicksDoesNotWrap(t *testing.T) {
	for _, n := range []time.Duration{1 << 31, 1 << 32, 1 << 62} {
		config := timer.Config{Tick: 1, Slots: slots, Executor: wheeltest.Inline}
		withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
			w.AfterFunc(n-1, j.Func("before"))
			w.AfterFunc(n+1, j.Func("after"))
			j.Sleep(n - 2)
			w.AfterFunc(2, j.Func("across"))
			w.AfterFunc(math.MaxInt64, j.Func("never"))
			w.AfterFunc(math.MaxInt64-n, j.Func("nearly never"))
			j.Sleep(n + 2)
			assert.Equal(t, []string{at("before", n-1), at("across", n), at("after", n+1)}, j.Lines())
		})
	}
}
