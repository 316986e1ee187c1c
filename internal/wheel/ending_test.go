package wheel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

func TestAFunctionThatEndsTheGoroutineOfATurnLosesNoOther(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		begun := 0
		for range 5 {
			w.AfterFunc(ms, func() { begun++ })
			w.AfterFunc(ms, runtime.Goexit)
		}
		w.AfterFunc(2*ms, func() { begun++ })
		time.Sleep(2 * ms)
		synctest.Wait()
		assert.Equal(t, 6, begun)
		assert.Zero(t, w.Armed())
		assert.NoError(t, w.Validate())
	})
}

// The executor has neither called the function nor refused it, and never will.
func TestAnExecutorThatEndsTheGoroutineOfATurnLosesNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		handOvers, begun := 0, 0
		w, _ := plainWheel(timer.Config{Executor: func(f func()) error {
			if handOvers++; handOvers == 1 {
				runtime.Goexit()
			}
			f()
			return nil
		}})
		first := w.AfterFunc(ms, func() { begun += 100 })
		w.AfterFunc(ms, func() { begun++ })
		w.AfterFunc(2*ms, func() { begun++ })
		time.Sleep(2 * ms)
		synctest.Wait()
		assert.Equal(t, 2, begun)
		assert.Zero(t, w.Armed())
		assert.ErrorIs(t, timer.Err(first), timer.ErrRejected)
		assert.False(t, first.Reset(ms), "it is not armed any more")
		time.Sleep(ms)
		synctest.Wait()
		assert.Equal(t, 102, begun)
		assert.Zero(t, w.Armed())
	})
}

func TestAPanicIsToldToOnPanicAndTheTurnGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []any
		w, _ := plainWheel(timer.Config{Executor: inline, OnPanic: func(v any, stack []byte) {
			told = append(told, v)
			assert.Contains(t, string(stack), "ending_test.go")
		}})
		begun := false
		w.AfterFunc(ms, func() { panic("oh") })
		w.AfterFunc(ms, func() { begun = true })
		time.Sleep(ms)
		synctest.Wait()
		assert.Equal(t, []any{"oh"}, told)
		assert.True(t, begun)
	})
}

// askedTwice has three timers and a Close whose question about the second one ends as told, and
// returns the handles.
func askedTwice(t *testing.T, w *Wheel, end func()) (handles []timer.Handle) {
	for i := range 3 {
		handles = append(handles, w.AfterFunc(time.Duration(i+1)*time.Hour, func() { t.Error("called") }))
	}
	over := make(chan struct{})
	go func() {
		defer close(over)
		defer func() { _ = recover() }()
		w.Close(func(h timer.Handle) bool {
			if h == handles[1] {
				end()
			}
			return false
		})
	}()
	<-over
	return handles
}

func TestTheTimersThatCloseHasNotAskedForAreStoppedWhenAskingPanics(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("oh") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
				handles := askedTwice(t, w, end)
				assert.ErrorIs(t, timer.Err(handles[0]), timer.ErrClosed)
				assert.ErrorIs(t, timer.Err(handles[2]), timer.ErrClosed)
				free(t, w, "after Close")
				assert.Empty(t, w.Close(nil))
				time.Sleep(24 * time.Hour)
			})
		})
	}
}

// One timer, and Stop, Reset, its function and Close all at once.
func TestOneTimerHasOneEndForEachArming(t *testing.T) {
	for round := range 5000 {
		w, _ := plainWheel(timer.Config{})
		var runs, taken, returned atomic.Int32
		took := func(ok bool) {
			if ok {
				taken.Add(1)
			}
		}
		h := w.AfterFunc(0, func() { runs.Add(1) })
		var all sync.WaitGroup
		all.Go(func() { took(h.Stop()) })
		all.Go(func() { took(h.Reset(0)) })
		all.Go(func() {
			for range round % 50 {
				runtime.Gosched()
			}
			returned.Add(int32(len(w.Close(func(timer.Handle) bool { return round%2 == 0 }))))
		})
		all.Wait()
		// What is handed over has been taken from the count when it begins.
		for end := time.Now().Add(patience); w.Armed() > 0 && time.Now().Before(end); {
			runtime.Gosched()
		}
		require.Zero(t, w.Armed())
		ends := func() int32 { return runs.Load() + taken.Load() + returned.Load() }
		refused := timer.Err(h) != nil && returned.Load() == 0 // the Reset was too late
		want := int32(2)
		if refused {
			want = 1
		}
		for end := time.Now().Add(patience); ends() < want && returned.Load() == 0 && time.Now().Before(end); {
			runtime.Gosched()
		}
		if returned.Load() == 0 {
			require.Equal(t, want, ends(), "%d runs, %d taken back, Err %v", runs.Load(), taken.Load(), timer.Err(h))
		} else {
			require.LessOrEqual(t, ends(), int32(2))
		}
	}
}

func TestTheTimerAboutWhichCloseAsksHasAnEndWhenAskingPanics(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic("oh") }, "goexit": runtime.Goexit} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
				handles := askedTwice(t, w, end)
				assert.ErrorIs(t, timer.Err(handles[1]), timer.ErrClosed)
				assert.Zero(t, w.Armed())
			})
		})
	}
}
