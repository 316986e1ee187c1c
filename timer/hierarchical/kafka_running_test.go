package hierarchical_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hierarchical"
)

func TestKAFKA13_WhatIsHandedOverIsPendingAndCanBeStoppedUntilItBegins(t *testing.T) {
	var shelf wheeltest.Shelf
	config := timer.Config{Tick: 10 * ms, Slots: 3, Executor: shelf.Execute}
	withConfig(t, config, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		h := w.AfterFunc(10*ms, j.Func("stopped"))
		w.AfterFunc(10*ms, j.Func("begun"))
		j.Sleep(time.Second)
		assert.Equal(t, 2, w.Armed())
		assert.True(t, h.Stop())
		shelf.Clear()
		assert.Zero(t, w.Armed())
		assert.Equal(t, []string{"begun"}, j.Names())
	})
}

func TestKAFKA14_ASlowFunctionDelaysNoOther(t *testing.T) {
	withConfig(t, timer.Config{}, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		for range 10 {
			w.AfterFunc(ms, func() { time.Sleep(time.Hour) })
		}
		w.AfterFunc(ms, j.Func("same tick"))
		w.AfterFunc(2*ms, j.Func("next tick"))
		j.Sleep(2 * time.Hour)
		assert.Equal(t, []string{at("same tick", ms), at("next tick", 2*ms)}, j.Lines())
	})
}

func TestKAFKA15_ManyArmAndStopWhileTheWheelAdvances(t *testing.T) {
	const goroutines, each = 4, 2000
	w := hierarchical.New(timer.Config{Tick: 10 * time.Microsecond, Slots: 3})
	defer w.Close()
	var runs, stopped sync.WaitGroup
	runs.Add(goroutines * each)
	for range goroutines {
		stopped.Go(func() {
			for i := range each {
				h := w.AfterFunc(time.Duration(i%500)*time.Microsecond, runs.Done)
				if i%2 == 0 && h.Stop() {
					runs.Done()
				}
			}
		})
	}
	stopped.Wait()
	runs.Wait() // for ever, if one is lost; a panic, if one is counted twice
	assert.Zero(t, w.Armed())
}

func TestKAFKA16_StopReturnsWhatIsPendingAndLaterOnesAreRefused(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		far, near := w.AfterFunc(time.Hour, j.Func("far")), w.AfterFunc(10*ms, j.Func("near"))
		assert.Equal(t, []timer.Handle{near, far}, w.Close())
		for _, d := range []time.Duration{0, 10 * ms, time.Hour} {
			_, err := w.Schedule(d, j.Func("late"))
			assert.ErrorIs(t, err, timer.ErrClosed)
		}
		assert.Zero(t, w.Armed())
		assert.Empty(t, w.Close())
		j.Sleep(2 * time.Hour)
		assert.Empty(t, j.Lines())
		assert.Zero(t, w.Wakeups())
	})
}

func TestKAFKA17_NoGoroutineWaitsForTheNextSlotAndNoPollLooksForIt(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(25*time.Hour, j.Func("f"))
		j.Sleep(24 * time.Hour)
		assert.Zero(t, wheeltest.Goroutines())
		assert.Zero(t, w.Wakeups())
		w.AfterFunc(time.Minute, j.Func("earlier")) // which it wakes up for
		j.Sleep(48 * time.Hour)
		assert.Equal(t, []string{at("earlier", 24*time.Hour+time.Minute), at("f", 25*time.Hour)}, j.Lines())
		assert.Zero(t, wheeltest.Goroutines())
	})
}

func TestKAFKA18_AnOperationEndsOnceByItsTimeoutOrByItself(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		for _, own := range []time.Duration{0, 10 * ms, 20 * ms, 30 * ms} {
			p := future.NewPromise[string]()
			var ends atomic.Int32
			timeout := w.AfterFunc(20*ms, func() {
				if p.Complete("timed out") {
					ends.Add(1)
				}
			})
			time.AfterFunc(own, func() {
				if p.Complete("done") {
					ends.Add(1)
					timeout.Stop()
				}
			})
			v, err := p.Future().Get(context.Background())
			require.NoError(t, err)
			time.Sleep(time.Second)
			assert.EqualValues(t, 1, ends.Load())
			assert.Contains(t, map[time.Duration][]string{0: {"done"}, 10 * ms: {"done"}, 20 * ms: {"done", "timed out"}, 30 * ms: {"timed out"}}[own], v)
			assert.Zero(t, w.Armed(), "the timeout of finished work is kept")
		}
	})
}

// Whoever arms a timeout looks at the operation once more afterwards: it may have ended meanwhile,
// and found no timeout to stop.
func TestKAFKA18_TheTimeoutOfAnOperationThatEndsBeforeItIsArmedIsNotKept(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		p := future.NewPromise[string]()
		require.True(t, p.Complete("done"))
		timedOut := j.Func("timed out")
		timeout := w.AfterFunc(20*ms, func() {
			timedOut()
			assert.False(t, p.Complete("timed out"))
		})
		assert.Equal(t, 1, w.Armed())
		if _, ended := p.Future().Poll(); assert.True(t, ended) {
			assert.True(t, timeout.Stop())
		}
		assert.Zero(t, w.Armed())
		assert.Zero(t, w.Size())
		assert.NoError(t, w.Validate())
		j.Sleep(time.Hour)
		assert.Empty(t, j.Lines())
		v, err := p.Future().Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, "done", v)
	})
}

func TestKAFKA19_OnAVirtualClockAFunctionBeginsWhenTheClockShowsItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hierarchical.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(30*ms, j.Func("f"))
		j.Sleep(30*ms - 1)
		assert.Empty(t, j.Lines())
		j.Sleep(30 * ms)
		assert.Equal(t, []string{at("f", 30*ms)}, j.Lines(), "at its deadline, not after it")
	})
}
