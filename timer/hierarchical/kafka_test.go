package hierarchical_test

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

// The tests of these files answer the rows KAFKA, the behaviour of Kafka's SystemTimer.

const ms = time.Millisecond

// at is a line of the journal.
func at(name string, d time.Duration) string { return wheeltest.At(name, d) }

func nothing() {}

// inBubble runs f in a bubble with a wheel of 3 slots of 10 ms on each level, which calls functions
// in order, and a journal that was begun with it.
func inBubble(t *testing.T, f func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	withConfig(t, timer.Config{Tick: 10 * ms, Slots: 3, Executor: wheeltest.Inline}, f)
}

func withConfig(t *testing.T, c timer.Config, f func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, j := hierarchical.New(c), wheeltest.NewJournal()
		defer w.Close()
		f(t, w, j)
	})
}

func TestKAFKA01_TheDefaultsAreKafkasAndTicksCountFromTheConstruction(t *testing.T) {
	assert.Equal(t, ms, hierarchical.DefaultTick)
	assert.Equal(t, 20, hierarchical.DefaultSlots)
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(ms / 2)
		w, j := hierarchical.New(timer.Config{}), wheeltest.NewJournal()
		w.AfterFunc(1, j.Func("f"))
		w.AfterFunc(20*ms-1, j.Func("g"))
		j.Sleep(time.Second)
		assert.Equal(t, []string{at("f", ms), at("g", 20*ms)}, j.Lines())
	})
}

func TestKAFKA01_A12_ABadConfigurationPanics(t *testing.T) {
	for text, bad := range map[string]timer.Config{
		"hierarchical: a level needs at least 2 slots":              {Slots: 1},
		"hierarchical: negative tick -1ns":                          {Tick: -1},
		"hierarchical: -1 slots are not between 1 and 1048576":      {Slots: -1},
		"hierarchical: 1048577 slots are not between 1 and 1048576": {Slots: 1<<20 + 1},
		"hierarchical: negative pending limit -1":                   {PendingLimit: -1},
	} {
		assert.PanicsWithValue(t, text, func() { hierarchical.New(bad) })
	}
}

func TestKAFKA02_DeadlinesAreExactToTheNanosecond(t *testing.T) {
	config := timer.Config{Tick: 1, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		j.Sleep(333_333)
		w.AfterFunc(ms+1, j.Func("f"))
		w.AfterFunc(ms, j.Func("g"))
		w.AfterFunc(time.Hour+7, j.Func("h"))
		j.Sleep(2 * time.Hour)
		assert.Equal(t, []string{at("g", 333_333+ms), at("f", 333_334+ms), at("h", 333_340+time.Hour)}, j.Lines())
	})
}

func TestKAFKA03_WhatHasExpiredIsHandedOverAtOnceAndNotByTheArmer(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		j.Sleep(time.Hour + 3*ms)
		var arming sync.Mutex // an inline call would wait for it for ever
		for d := time.Duration(-5); d <= 0; d++ {
			f := j.Func(fmt.Sprint(int64(d)))
			arming.Lock()
			w.AfterFunc(d, func() {
				arming.Lock()
				defer arming.Unlock()
				f()
			})
			arming.Unlock()
			synctest.Wait()
		}
		assert.Equal(t, []string{"-5", "-4", "-3", "-2", "-1", "0"}, j.Names())
		assert.Equal(t, at("0", time.Hour+3*ms), j.Lines()[5])
	})
}

func TestKAFKA04_NeverEarlyEvenByAPartOfATick(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		begun, latest := 0, time.Duration(0)
		for phase := range 10 * time.Duration(3) {
			for _, d := range []time.Duration{1, ms, 9 * ms, 10*ms - 1, 10 * ms, 10*ms + 1, 15 * ms, 30 * ms, 90*ms - 1, 899 * ms} {
				deadline := j.Now() + d
				w.AfterFunc(d, func() {
					begun++
					latest = max(latest, j.Now()-deadline)
					assert.GreaterOrEqual(t, j.Now(), deadline)
				})
			}
			j.Sleep((phase + 1) * ms)
		}
		j.Sleep(time.Minute)
		assert.Equal(t, 300, begun)
		assert.Equal(t, 10*ms-1, latest)
	})
}

func TestKAFKA05_AThousandFunctionsOfOneSlotAreOneWakeup(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		for range 1000 {
			w.AfterFunc(20*ms, nothing)
		}
		j.Sleep(time.Hour)
		assert.EqualValues(t, 1, w.Wakeups())
		assert.Zero(t, w.Armed())
	})
}

func TestKAFKA06_LevelsAreMadeOnDemandForAnyDelay(t *testing.T) {
	config := timer.Config{Tick: 1, Slots: 3, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		levels := func(d time.Duration) int {
			w.AfterFunc(d, j.Func(fmt.Sprint(int64(d)))).Reset(d) // which moves it into its slot
			return w.Levels()
		}
		assert.Zero(t, w.Levels())
		assert.Equal(t, 1, levels(2))
		assert.Equal(t, 2, levels(3))
		assert.Equal(t, 2, levels(8))
		assert.Equal(t, 3, levels(9))
		assert.Equal(t, 6, levels(499))
		assert.LessOrEqual(t, levels(math.MaxInt64), 40)
		j.Sleep(time.Second)
		assert.Equal(t, []string{at("2", 2), at("3", 3), at("8", 8), at("9", 9), at("499", 499)}, j.Lines())
		assert.Equal(t, 1, w.Armed())
	})
}

// An inline function that sleeps is what holds up the wheel.
func TestKAFKA07_AllSlotsThatAreDueAreEmptiedWithoutWaitingInBetween(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(10*ms, func() { time.Sleep(time.Hour) })
		for _, d := range []time.Duration{800 * ms, 20 * ms, 30 * ms, 100 * ms, 90 * ms, time.Minute} {
			w.AfterFunc(d, j.Func(d.String()))
		}
		j.Sleep(2 * time.Hour)
		end := 10*ms + time.Hour
		assert.Equal(t, []string{at("20ms", end), at("30ms", end), at("90ms", end), at("100ms", end), at("800ms", end), at("1m0s", end)}, j.Lines())
		assert.EqualValues(t, 1, w.Wakeups())
	})
}

func TestKAFKA08_TheClockOfTheLevelsDoesNotLagBehindInAnIdleWheel(t *testing.T) {
	config := timer.Config{Tick: ms, Slots: 20, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		j.Sleep(1000 * ms)
		w.AfterFunc(5*ms, j.Func("f"))
		assert.Equal(t, 1, w.Levels(), "a short delay after a long silence is a short delay")
		j.Sleep(2000 * ms)
		assert.Equal(t, []string{at("f", 1005*ms)}, j.Lines())
		assert.EqualValues(t, 1, w.Wakeups())
	})
}

func TestKAFKA09_ASlotThatIsEmptiedByStopsWakesNobody(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(time.Second, j.Func("first"))
		a, b := w.AfterFunc(time.Minute, nothing), w.AfterFunc(time.Minute, nothing)
		w.AfterFunc(time.Hour, j.Func("last"))
		assert.True(t, a.Stop())
		assert.True(t, b.Stop())
		assert.Equal(t, 2, w.Armed())
		assert.NoError(t, w.Validate())
		j.Sleep(2 * time.Hour)
		assert.Equal(t, []string{at("first", time.Second), at("last", time.Hour)}, j.Lines())
		assert.EqualValues(t, 2, w.Wakeups())
	})
}

func TestKAFKA10_AFunctionIsArmedOnceHoweverOftenItIsReset(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		h := w.AfterFunc(10*ms, j.Func("f"))
		for _, d := range []time.Duration{time.Hour, 20 * ms, time.Minute, 100 * ms} {
			assert.True(t, h.Reset(d))
			assert.Equal(t, 1, w.Armed())
			assert.NoError(t, w.Validate())
		}
		j.Sleep(2 * time.Hour)
		assert.Equal(t, []string{at("f", 100*ms)}, j.Lines())
	})
}

func TestKAFKA11_AStoppedFunctionIsDeadOnItsWayInEverySlotAndInTheExecutor(t *testing.T) {
	var shelf wheeltest.Shelf
	config := timer.Config{Tick: 10 * ms, Slots: 3, Executor: shelf.Execute}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(10*ms, j.Func("earlier")) // until then the wheel sleeps
		fresh := w.AfterFunc(time.Second, j.Func("fresh"))
		far, due := w.AfterFunc(time.Second, j.Func("far")), w.AfterFunc(20*ms, j.Func("due"))
		require.Equal(t, 1, w.Size(), "the others are on their way to a slot")
		assert.True(t, fresh.Stop())
		j.Sleep(10 * ms)
		assert.NoError(t, w.Validate())
		assert.Equal(t, 2, w.Size(), "a stopped one has got a slot")

		j.Sleep(20 * ms)
		assert.True(t, far.Stop())
		assert.True(t, due.Stop())
		assert.NoError(t, w.Validate())
		assert.Zero(t, w.Size())
		j.Sleep(time.Hour)
		assert.Equal(t, 2, shelf.Clear())
		assert.Equal(t, []string{at("earlier", time.Hour)}, j.Lines())
	})
}
