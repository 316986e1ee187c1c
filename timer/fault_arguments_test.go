package timer_test

import (
	"math"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
)

// The tests of this file are about bad arguments, and about functions that stop what calls them:
// what the fault table says of timers and wheels.

// faWheel is a wheel with what it tells of itself.
type faWheel interface {
	wheel
	Schedule(d time.Duration, f func()) (timer.Handle, error)
	Armed() int
}

func TestA1_ANilFunctionPanicsAtTheCallAndLeavesNothing(t *testing.T) {
	onEachWheel(t, timer.Config{}, func(t *testing.T, w wheel) {
		f := w.(faWheel)
		for _, d := range []time.Duration{0, time.Second, longest} {
			assert.PanicsWithValue(t, "timer: nil function", func() { f.AfterFunc(d, nil) })
			assert.PanicsWithValue(t, "timer: nil function", func() { _, _ = f.Schedule(d, nil) })
		}
		assert.Zero(t, f.Armed())
		for _, repeat := range []func() (*timer.Series, error){
			func() (*timer.Series, error) { return timer.AtFixedRate(f, 0, time.Second, nil) },
			func() (*timer.Series, error) { return timer.WithFixedDelay(f, 0, time.Second, nil) },
		} {
			s, err := repeat()
			assert.Nil(t, s)
			assert.Equal(t, timer.ErrNilFunc, err)
		}
		assert.Zero(t, f.Armed())
		ran := false
		f.AfterFunc(time.Second, func() { ran = true })
		probe.Elapse(2 * time.Second)
		assert.True(t, ran, "the next good call works")
	})
	for name, arm := range map[string]func(){
		"runtime": func() { timer.Runtime().AfterFunc(0, nil) },
		"classic": func() { timer.New("").AfterFunc(0, nil) },
		"task":    func() { timer.NewTask(nil) },
	} {
		assert.PanicsWithValue(t, "timer: nil function", arm, name)
	}
}

func TestA3_NegativeDelaysMeanNowInTheOrderOfTheCalls(t *testing.T) {
	delays := []time.Duration{0, -1, shortest, -time.Hour, 0, shortest}
	check := func(t *testing.T, on timer.Scheduler) {
		probe.Elapse(time.Hour + 1) // for a delay that counts from the beginning of the facility, or waits for a tick
		start, order := time.Now(), []int(nil)
		for i, d := range delays {
			on.AfterFunc(d, func() {
				assert.Equal(t, start, time.Now())
				order = append(order, i)
			})
		}
		synctest.Wait()
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5}, order)
	}
	onEachWheel(t, timer.Config{Executor: wheeltest.Inline}, func(t *testing.T, w wheel) { check(t, w) })
	t.Run("classic", func(t *testing.T) {
		inBubble(t, func(t *testing.T, tm *timer.Timer) { check(t, tm) })
	})
}

// faUp returns d, rounded up to a multiple of tick.
func faUp(d, tick time.Duration) time.Duration { return (d + tick - 1) / tick * tick }

func TestA12_EveryTickAndNumberOfSlotsThatIsTakenIsRight(t *testing.T) {
	for _, tick := range []time.Duration{1, 700, time.Millisecond, time.Hour} {
		for _, slots := range []int{0, 1, 2, 3, 5, 1000} {
			for name, newWheel := range wheels {
				if name == "hierarchical" && slots == 1 {
					continue // refused, as the next level would be as wide
				}
				synctest.Test(t, func(t *testing.T) {
					w := newWheel(timer.Config{Tick: tick, Slots: slots, Executor: wheeltest.Inline})
					defer w.Close()
					start := time.Now()
					var got, want []time.Duration
					for _, d := range []time.Duration{1, tick, 2*tick - 1, 3 * tick, 8*tick + 1, 999 * tick, 1000 * tick, 5000*tick + 1} {
						w.AfterFunc(d, func() { got = append(got, time.Since(start)) })
						want = append(want, faUp(d, tick))
					}
					probe.Elapse(6000 * tick)
					assert.Equal(t, want, got, "%s, tick %v, %d slots", name, tick, slots)
				})
			}
		}
	}
}

func TestA12_WhatMakesNoSenseIsRefusedBeforeAnythingIsAllocated(t *testing.T) {
	bad := []timer.Config{
		{Tick: -1}, {Tick: shortest}, {Slots: -1}, {Slots: math.MinInt}, {PendingLimit: -1},
		{Slots: 1<<20 + 1}, {Slots: 1 << 30}, {Slots: math.MaxInt},
	}
	var before, after runtime.MemStats
	for name, newWheel := range wheels {
		for _, c := range bad {
			runtime.ReadMemStats(&before)
			assert.Panics(t, func() { newWheel(c) }, "%s of %+v", name, c)
			runtime.ReadMemStats(&after)
			assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<20), "%s of %+v", name, c)
		}
	}
	assert.Panics(t, func() { wheels["hierarchical"](timer.Config{Slots: 1}) })
}

func TestC11_AFunctionMayStopItsWheelAndIsTheLast(t *testing.T) {
	for name, run := range map[string]timer.Executor{"goroutines": nil, "inline": wheeltest.Inline} {
		t.Run(name, func(t *testing.T) {
			onEachWheel(t, timer.Config{Tick: time.Millisecond, Executor: run}, func(t *testing.T, w wheel) {
				f, later := w.(faWheel), 0
				soon := f.AfterFunc(2*time.Millisecond, func() { later++ })
				far := f.AfterFunc(longest, func() { later++ })
				var returned, again []timer.Handle
				var refused error
				f.AfterFunc(time.Millisecond, func() {
					returned, again = f.Close(), f.Close()
					_, refused = f.Schedule(0, func() { later++ })
				})
				probe.Elapse(time.Hour)
				assert.Equal(t, []timer.Handle{soon, far}, returned)
				assert.Empty(t, again)
				assert.ErrorIs(t, refused, timer.ErrClosed)
				assert.Zero(t, later)
				assert.Zero(t, f.Armed())
			})
		})
	}
}

func TestC11_ASeriesMayStopWhatCallsIt(t *testing.T) {
	check := func(t *testing.T, on timer.Scheduler, stop func()) {
		var s *timer.Series
		var err error
		s, err = timer.AtFixedRate(on, time.Second, time.Second, stop)
		require.NoError(t, err)
		probe.Elapse(time.Hour)
		assert.EqualValues(t, 1, s.Runs())
		assert.ErrorIs(t, s.Err(), timer.ErrClosed)
		<-s.Done()
	}
	onEachWheel(t, timer.Config{}, func(t *testing.T, w wheel) { check(t, w, func() { w.Close() }) })
	t.Run("classic", func(t *testing.T) {
		inBubble(t, func(t *testing.T, tm *timer.Timer) { check(t, tm, tm.Cancel) })
	})
}
