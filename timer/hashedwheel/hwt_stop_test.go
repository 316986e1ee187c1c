package hashedwheel_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/wheel/wheeltest"
	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestHWT10_StopIsTrueOnceAndUntilTheFunctionReallyBegins(t *testing.T) {
	var shelf wheeltest.Shelf
	withConfig(t, timer.Config{Tick: tick, Executor: shelf.Execute}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		waiting, begun := w.AfterFunc(tick, j.Func("waiting")), w.AfterFunc(tick, j.Func("begun"))
		early := w.AfterFunc(tick, j.Func("early"))
		assert.True(t, early.Stop())
		assert.False(t, early.Stop())
		j.Sleep(time.Hour)
		assert.True(t, waiting.Stop(), "an hour past its deadline, but the executor has not called it")
		assert.False(t, waiting.Stop())
		require.Equal(t, 2, shelf.Clear())
		assert.False(t, begun.Stop())
		assert.Equal(t, []string{at("begun", time.Hour)}, j.Lines())
	})
}

func TestHWT11_WhatIsStoppedInItsSlotIsGoneAtOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, _ *wheeltest.Journal) {
		gone := armAndStop(t, w, time.Hour) // the only one has its slot at once
		assert.Zero(t, w.Armed())
		assert.NoError(t, w.Validate())
		assert.Zero(t, kept(gone), "the wheel keeps what the function refers to")
		runtime.KeepAlive(w)
	})
}

func TestHWT11_OfWhatIsStoppedOnItsWayToASlotAtMost127AreKeptUntilTheWheelLooks(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(time.Hour, nothing) // until then the wheel sleeps
		var gone []weak.Pointer[memory]
		for n := 1; n <= 200; n++ {
			gone = append(gone, armAndStop(t, w, 2*time.Hour)...)
			switch n {
			case 1, 127, 200:
				assert.Equal(t, n%128, kept(gone), "after %d", n)
			case 128:
				assert.Zero(t, kept(gone), "they have been looked through")
			}
			require.Equal(t, 1, w.Armed())
		}
		assert.NoError(t, w.Validate())
		j.Sleep(time.Hour)
		assert.Zero(t, kept(gone), "the wheel has looked")
		assert.EqualValues(t, 1, w.Wakeups())
		runtime.KeepAlive(w)
	})
}

// memory is what a function refers to.
type memory [1 << 12]byte

// armAndStop returns a pointer to what the function that it has stopped refers to.
func armAndStop(t *testing.T, w *hashedwheel.Wheel, d time.Duration) []weak.Pointer[memory] {
	m := new(memory)
	require.True(t, w.AfterFunc(d, func() { m[0]++ }).Stop())
	return []weak.Pointer[memory]{weak.Make(m)}
}

// kept returns how many of them somebody still holds.
func kept(memories []weak.Pointer[memory]) (n int) {
	runtime.GC()
	for _, m := range memories {
		if m.Value() != nil {
			n++
		}
	}
	return n
}

func TestHWT12_B14_TheCountFallsOncePerFunctionAlsoInItsGoalTick(t *testing.T) {
	var shelf wheeltest.Shelf
	withConfig(t, timer.Config{Tick: tick, Executor: shelf.Execute}, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		h, other := w.AfterFunc(tick, nothing), w.AfterFunc(tick, nothing)
		j.Sleep(tick)
		assert.Equal(t, 2, w.Armed(), "due, and not begun")
		assert.True(t, h.Stop())
		assert.Equal(t, 1, w.Armed())
		shelf.Clear()
		assert.Zero(t, w.Armed())
		assert.False(t, h.Stop())
		assert.False(t, other.Stop())
		assert.Zero(t, w.Armed())
	})
}
