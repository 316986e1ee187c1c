package hashedwheel_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/wheel"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// The tests of these files answer the rows HWT, the behaviour of Netty's HashedWheelTimer.

const (
	ms = time.Millisecond

	tick  = 10 * ms
	slots = 8
	turn  = slots * tick
)

// at is a line of the journal.
func at(name string, d time.Duration) string { return wheeltest.At(name, d) }

func nothing() {}

// inBubble runs f in a bubble with a wheel of 8 slots of 10 ms, which calls functions in order, and
// a journal that was begun with it.
func inBubble(t *testing.T, f func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	withConfig(t, timer.Config{Tick: tick, Slots: slots, Executor: wheeltest.Inline}, f)
}

func withConfig(t *testing.T, c timer.Config, f func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, j := hashedwheel.New(c), wheeltest.NewJournal()
		defer w.Close()
		f(t, w, j)
	})
}

func TestHWT01_AFunctionRunsOnceAndRepeatsByResettingItsHandle(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, j.Func("once"))
		left := 3
		var h timer.Handle
		again := j.Func("again")
		h = w.AfterFunc(time.Hour, func() {
			again()
			if left--; left > 0 {
				assert.False(t, h.Reset(turn), "armed while it runs")
			}
		})
		h.Reset(turn) // now the function knows its handle
		j.Sleep(time.Hour)
		assert.Equal(t, []string{at("once", tick), at("again", turn), at("again", 2*turn), at("again", 3*turn)}, j.Lines())
	})
}

func TestHWT02_TheWheelCountsFromItsConstructionAndNothingStarts(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		j.Sleep(3 * ms)
		w.AfterFunc(tick, j.Func("f"))
		assert.Equal(t, 3*ms, j.Now(), "whoever arms the first one does not wait")
		assert.Zero(t, wheeltest.Goroutines())
		j.Sleep(turn)
		assert.Equal(t, []string{at("f", 2*tick)}, j.Lines())
	})
}

func TestHWT03_NoFunctionBeginsBeforeItsDelay(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		begun := 0
		for phase := time.Duration(0); phase < tick; phase += tick / 5 {
			for _, d := range []time.Duration{1, ms, tick - 1, tick, tick + 1, turn - 1, turn, turn + 1, 7 * turn} {
				deadline := j.Now() + d
				w.AfterFunc(d, func() {
					begun++
					assert.GreaterOrEqual(t, j.Now(), deadline)
				})
			}
			j.Sleep(j.Now() + tick/5)
		}
		j.Sleep(time.Minute)
		assert.Equal(t, 5*9, begun)
	})
}

func TestHWT04_AHundredThousandTimeoutsBeginLessThanATickAfterTheirDeadline(t *testing.T) {
	config := timer.Config{Tick: 200 * ms, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		earliest, latest := time.Hour, time.Duration(0)
		begun := 0
		for i := range 1000 {
			deadline := j.Now() + 125*ms
			for range 100 {
				w.AfterFunc(125*ms, func() {
					begun++
					late := j.Now() - deadline
					earliest, latest = min(earliest, late), max(latest, late)
				})
			}
			j.Sleep(time.Duration(i) * ms)
		}
		j.Sleep(time.Minute)
		assert.Equal(t, 100_000, begun)
		assert.Zero(t, earliest)
		assert.Equal(t, 199*ms, latest)
	})
}

func TestHWT05_TheDefaultsAreNettysAndSlotsAreRoundedUp(t *testing.T) {
	assert.Equal(t, 100*ms, hashedwheel.DefaultTick)
	assert.Equal(t, 512, hashedwheel.DefaultSlots)
	for asked, want := range map[int]int{1: 1, 2: 2, 3: 4, 511: 512, 512: 512, 513: 1024, 1 << 20: 1 << 20} {
		assert.Equal(t, want, wheel.Complete(timer.Config{Slots: asked}, "", tick, 1, true).Slots, asked)
	}
	withConfig(t, timer.Config{}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(1, j.Func("f"))
		j.Sleep(time.Second)
		assert.Equal(t, []string{at("f", hashedwheel.DefaultTick)}, j.Lines())
		assert.Equal(t, hashedwheel.DefaultSlots, w.Slots())
	})
}

func TestHWT05_AWheelOfFiveSlotsHasEightAndIsRightOverSeveralTurns(t *testing.T) {
	config := timer.Config{Tick: tick, Slots: 5, Executor: wheeltest.Inline}
	withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
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

func TestHWT06_A12_ABadConfigurationPanicsAndASmallTickIsKept(t *testing.T) {
	for text, bad := range map[string]timer.Config{
		"hashedwheel: negative tick -1ns":                          {Tick: -1},
		"hashedwheel: -1 slots are not between 1 and 1048576":      {Slots: -1},
		"hashedwheel: 1048577 slots are not between 1 and 1048576": {Slots: 1<<20 + 1},
		"hashedwheel: negative pending limit -1":                   {PendingLimit: -1},
	} {
		assert.PanicsWithValue(t, text, func() { hashedwheel.New(bad) })
	}
	for _, small := range []time.Duration{1, 700, time.Microsecond} {
		withConfig(t, timer.Config{Tick: small, Slots: slots}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			w.AfterFunc(3*small-small/2, j.Func("f"))
			j.Sleep(time.Second)
			assert.Equal(t, []string{at("f", 3*small)}, j.Lines())
		})
	}
}

func TestHWT07_AFarFunctionIsNotTouchedTurnAfterTurn(t *testing.T) {
	withConfig(t, timer.Config{}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(100*time.Minute, j.Func("far"))
		j.Sleep(100*time.Minute - 1)
		assert.Zero(t, w.Wakeups())
		j.Sleep(24 * time.Hour)
		assert.Equal(t, []string{at("far", 100*time.Minute)}, j.Lines())
		assert.EqualValues(t, 1, w.Wakeups())
	})
}

func TestHWT08_AHugeDelaySaturatesAndStaysPending(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		j.Sleep(time.Hour + ms)
		var want []timer.Handle
		for _, d := range []time.Duration{math.MaxInt64 - time.Hour, math.MaxInt64 - 1, math.MaxInt64} {
			want = append(want, w.AfterFunc(d, j.Func("huge")))
		}
		j.Sleep(200 * 365 * 24 * time.Hour)
		assert.Empty(t, j.Lines())
		assert.Equal(t, 3, w.Armed())
		assert.Zero(t, w.Wakeups())
		assert.Equal(t, want, w.Close())
	})
}

func TestHWT09_ADelayOfZeroOrLessMeansNowButNotInline(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		j.Sleep(turn + 3*ms)
		var arming sync.Mutex // an inline call would wait for it for ever
		for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64} {
			f := j.Func(d.String())
			arming.Lock()
			w.AfterFunc(d, func() {
				arming.Lock()
				defer arming.Unlock()
				f()
			})
			arming.Unlock()
			synctest.Wait()
		}
		now := turn + 3*ms
		assert.Equal(t, []string{at("0s", now), at("-1ns", now), at("-1h0m0s", now), at(time.Duration(math.MinInt64).String(), now)}, j.Lines())
	})
}
