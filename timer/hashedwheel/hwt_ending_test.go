package hashedwheel_test

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
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

func TestHWT15_ArmingAfterStopIsRefusedAndNotCounted(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.Close()
		_, err := w.Schedule(tick, j.Func("late"))
		assert.ErrorIs(t, err, timer.ErrClosed)
		h := w.AfterFunc(0, j.Func("late"))
		assert.ErrorIs(t, timer.Err(h), timer.ErrClosed)
		assert.False(t, h.Reset(tick))
		assert.False(t, h.Stop())
		assert.Zero(t, w.Armed())
		j.Sleep(time.Hour)
		assert.Empty(t, j.Lines())
	})
}

func TestHWT16_StopReturnsWhatItHasKeptFromRunningAndOnlyOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
		w.AfterFunc(tick, j.Func("begun"))
		stopped := w.AfterFunc(turn, j.Func("stopped"))
		far, near := w.AfterFunc(9*turn, j.Func("far")), w.AfterFunc(turn, j.Func("near"))
		j.Sleep(tick)
		stopped.Stop()
		fresh := w.AfterFunc(2*turn, j.Func("fresh")) // in no slot yet
		assert.Equal(t, []timer.Handle{near, fresh, far}, w.Close())
		assert.Empty(t, w.Close())
		assert.False(t, near.Reset(tick), "a stopped wheel does not start again")
		j.Sleep(time.Hour)
		assert.Equal(t, []string{"begun"}, j.Names())
	})
	assert.Empty(t, hashedwheel.New(timer.Config{}).Close(), "nothing was ever armed")
}

func TestHWT17_B45_C11_AFunctionMayStopItsOwnWheel(t *testing.T) {
	for _, executor := range []timer.Executor{nil, wheeltest.Inline} {
		config := timer.Config{Tick: tick, Executor: executor}
		withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			other := w.AfterFunc(2*tick, j.Func("other"))
			var returned []timer.Handle
			w.AfterFunc(tick, func() { returned = w.Close() })
			j.Sleep(turn)
			assert.Equal(t, []timer.Handle{other}, returned)
			assert.Empty(t, j.Lines())
		})
	}
}

func TestHWT18_StopNeitherWaitsForARunningFunctionNorDisturbsIt(t *testing.T) {
	for _, executor := range []timer.Executor{nil, wheeltest.Inline} {
		config := timer.Config{Tick: tick, Executor: executor}
		withConfig(t, config, func(t *testing.T, w *hashedwheel.Wheel, j *wheeltest.Journal) {
			end := j.Func("end")
			w.AfterFunc(tick, func() {
				time.Sleep(time.Hour)
				end()
			})
			j.Sleep(tick)
			w.Close()
			assert.Equal(t, tick, j.Now())
			j.Sleep(2 * time.Hour)
			assert.Equal(t, []string{at("end", tick+time.Hour)}, j.Lines())
		})
	}
}

func TestHWT25_ArmingThatRacesWithStopHasOneEnd(t *testing.T) {
	mixed := 0
	for round := range 300 {
		accepted, refused := stopAmidArming(t, round)
		if accepted > 0 && refused > 0 {
			mixed++
		}
	}
	assert.Positive(t, mixed, "no Stop came while functions were armed")
}

// stopAmidArming has two goroutines arm functions, and stops the wheel when some have been.
func stopAmidArming(t *testing.T, round int) (accepted, refused int) {
	const armers, each = 2, 50
	w := hashedwheel.New(timer.Config{})
	handles := make([][]timer.Handle, armers)
	var tried atomic.Int64
	var all sync.WaitGroup
	for g := range armers {
		all.Go(func() {
			for i := range each {
				tried.Add(1)
				if h, err := w.Schedule(time.Hour, nothing); err == nil {
					handles[g] = append(handles[g], h)
				}
				if i%10 == 9 {
					runtime.Gosched() // on one processor nobody else would come
				}
			}
		})
	}
	returned := map[timer.Handle]bool{}
	all.Go(func() {
		for tried.Load() < int64(round%(armers*each)) {
			runtime.Gosched()
		}
		for _, h := range w.Close() {
			returned[h] = true
		}
	})
	all.Wait()
	for _, own := range handles {
		for _, h := range own {
			accepted++
			require.True(t, returned[h], "accepted, and neither run nor returned")
		}
	}
	require.Len(t, returned, accepted)
	require.Zero(t, w.Armed())
	return accepted, armers*each - accepted
}
