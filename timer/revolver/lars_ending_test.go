package revolver_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/revolver"
)

func TestLARS12_EveryFunctionGoesToTheExecutorThoseRunAtTheEndToo(t *testing.T) {
	var shelf wheeltest.Shelf
	config := timer.Config{Tick: tick, Slots: slots, Executor: shelf.Execute}
	withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(0, j.Func("at once"))
		w.AfterFunc(tick, j.Func("later"))
		w.AfterFunc(time.Hour, j.Func("at the end"))
		j.Sleep(tick)
		w.CloseFunc(func(timer.Handle) bool { return true })
		assert.Empty(t, j.Lines())
		assert.Equal(t, 3, shelf.Clear())
		assert.Equal(t, []string{"at once", "later", "at the end"}, j.Names())
	})
}

func TestLARS13_ArmingAfterTheEndIsRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.CloseFunc(nil)
		for _, d := range []time.Duration{-1, 0, tick, time.Hour} {
			_, err := w.Schedule(d, j.Func("late"))
			assert.ErrorIs(t, err, timer.ErrClosed)
		}
		j.Sleep(2 * time.Hour)
		assert.Empty(t, j.Lines())
		assert.Zero(t, w.Armed())
	})
}

// Every function that is armed while the wheel closes runs, is returned, or is refused.
func TestLARS13_OfManyArmedWhileTheWheelClosesNoneIsLost(t *testing.T) {
	for range 100 {
		closeAmidArming(t)
	}
}

// closeAmidArming has two goroutines arm functions until they are refused, and closes the wheel
// when they have armed many.
func closeAmidArming(t *testing.T) {
	const armers, atLeast, refusals = 2, 1000, 10
	w := revolver.New(timer.Config{Tick: time.Millisecond, Executor: wheeltest.Inline})
	var tried, ran, refused atomic.Int64
	var all sync.WaitGroup
	for range armers {
		all.Go(func() {
			for i, left := 0, refusals; left > 0; i++ {
				d := time.Duration(i%3) * time.Millisecond
				if i%100 == 99 {
					d = time.Hour     // pending, whenever the end comes
					runtime.Gosched() // on one processor nobody else would come
				}
				tried.Add(1)
				if _, err := w.Schedule(d, func() { ran.Add(1) }); err != nil {
					refused.Add(1)
					left--
				}
			}
		})
	}
	returned := 0
	all.Go(func() {
		for tried.Load() < armers*atLeast {
			runtime.Gosched()
		}
		asked := 0
		returned = len(w.CloseFunc(func(timer.Handle) bool { asked++; return asked%2 == 0 }))
	})
	all.Wait()
	ended := func() int64 { return ran.Load() + refused.Load() + int64(returned) }
	for end := time.Now().Add(30 * time.Second); ended() < tried.Load() && time.Now().Before(end); {
		runtime.Gosched() // a turn that is on its way
	}
	require.Equal(t, tried.Load(), ended())
	assert.Zero(t, w.Armed())
	assert.Positive(t, ran.Load())
	assert.Positive(t, refused.Load())
	assert.Positive(t, returned)
}

func TestLARS14_CloseRunsWhatItIsToldToAndReturnsTheRest(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		save := w.AfterFunc(24*time.Hour, j.Func("save"))
		drop := w.AfterFunc(tick, j.Func("drop"))
		bye := w.AfterFunc(48*time.Hour, j.Func("bye"))
		daily := w.AfterFunc(36*time.Hour, j.Func("daily"))
		var asked []timer.Handle
		returned := w.CloseFunc(func(h timer.Handle) bool {
			asked = append(asked, h)
			return h == save || h == bye
		})
		assert.Equal(t, []timer.Handle{drop, save, daily, bye}, asked, "in order of their deadlines")
		assert.Equal(t, []timer.Handle{drop, daily}, returned)
		assert.ErrorIs(t, timer.Err(daily), timer.ErrClosed)
		assert.NoError(t, timer.Err(save))
		assert.Empty(t, w.CloseFunc(func(timer.Handle) bool { panic("asked again") }))
		j.Sleep(72 * time.Hour)
		assert.Equal(t, []string{at("save", 0), at("bye", 0)}, j.Lines())
		assert.Zero(t, w.Armed())
	})
}

func TestLARS14_WhatIsStoppedOrRunWhileTheOthersAreAskedForIsLeftAlone(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		first := w.AfterFunc(tick, j.Func("first"))
		second := w.AfterFunc(2*tick, j.Func("second"))
		third := w.AfterFunc(3*tick, j.Func("third"))
		returned := w.CloseFunc(func(h timer.Handle) bool {
			switch h {
			case first:
				assert.True(t, second.Stop())
			case second:
				return true
			case third:
				assert.True(t, third.Stop())
			}
			return false
		})
		assert.Equal(t, []timer.Handle{first}, returned)
		assert.NoError(t, timer.Err(third))
		j.Sleep(time.Hour)
		assert.Empty(t, j.Lines())
	})
}

func TestLARS20_TheWheelOutlivesAFunctionThatEndsItsGoroutine(t *testing.T) {
	var told []any
	config := timer.Config{
		Tick: tick, Slots: slots, Executor: wheeltest.Inline,
		OnPanic: func(value any, _ []byte) { told = append(told, value) },
	}
	withConfig(t, config, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, runtime.Goexit)
		w.AfterFunc(tick, func() { panic("oh") })
		w.AfterFunc(tick, j.Func("same tick"))
		w.AfterFunc(2*tick, j.Func("next tick"))
		j.Sleep(turn)
		assert.Equal(t, []string{at("same tick", tick), at("next tick", 2*tick)}, j.Lines())
		assert.Equal(t, []any{timer.ErrGoexit, "oh"}, told)
		assert.Zero(t, w.Armed())
	})
}

func TestLARS21_NothingMakesTheWheelSpin(t *testing.T) {
	inBubble(t, func(t *testing.T, w *revolver.Wheel, j *wheeltest.Journal) {
		h := w.AfterFunc(time.Hour, j.Func("f"))
		for range 1000 { // what might leave an alarm that rings at once, again and again
			h.Reset(0)
			h.Reset(time.Hour)
		}
		begun := len(j.Lines()) // at once, if the first Reset was not followed fast enough
		before := w.Wakeups()
		j.Sleep(time.Hour - 1)
		assert.Equal(t, before, w.Wakeups())
		j.Sleep(24 * time.Hour)
		assert.Equal(t, []string{at("f", time.Hour)}, j.Lines()[begun:])
		assert.LessOrEqual(t, w.Wakeups(), before+1)
	})
}
