package wheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/timer"
)

// free demands that nobody holds the lock, and uses the wheel.
func free(t *testing.T, w *Wheel, where string) {
	t.Helper()
	if !assert.True(t, w.mu.TryLock(), "the lock is held %s", where) {
		return // what follows would wait for ever
	}
	w.mu.Unlock()
	h := w.AfterFunc(time.Hour, nothing)
	h.Reset(2 * time.Hour)
	h.Stop()
	w.Wakeups()
}

func TestTheLockIsFreeWheneverCodeOfTheUserRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w *Wheel
		seen := map[string]int{}
		look := func(where string) {
			seen[where]++
			free(t, w, where)
		}
		w, _ = plainWheel(timer.Config{
			Executor: func(f func()) error {
				look("in the executor")
				f()
				return nil
			},
			OnPanic: func(any, []byte) { look("in OnPanic") },
		})
		w.AfterFunc(0, func() { look("in a function") })
		synctest.Wait()
		w.AfterFunc(ms, func() { look("in a function") })
		w.AfterFunc(ms, func() { panic("oh") })
		time.Sleep(ms)
		synctest.Wait()
		w.AfterFunc(time.Hour, func() { look("in a function at the end") })
		w.AfterFunc(time.Hour, func() { look("in a function at the end") })
		w.Close(func(timer.Handle) bool {
			look("while Close asks")
			return true
		})
		synctest.Wait()
		require.Equal(t, map[string]int{
			"in the executor": 5, "in OnPanic": 1, "in a function": 2,
			"while Close asks": 2, "in a function at the end": 2,
		}, seen)
	})
}

// The functions of a batch wait for the executor while others use the wheel.
func TestTheLockIsFreeBetweenTheFunctionsOfABatch(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		step := make(chan struct{})
		for range 3 {
			w.AfterFunc(ms, func() { <-step })
		}
		time.Sleep(ms)
		for range 3 {
			synctest.Wait()
			free(t, w, "while a function waits")
			step <- struct{}{}
		}
		synctest.Wait()
		assert.NoError(t, w.Validate())
	})
}
