package wheel

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer"
)

// told returns what OnPanic is told of a function, with and without an Executor.
func told(t *testing.T, f func()) (all [][]any) {
	for _, executor := range []timer.Executor{nil, func(f func()) error { f(); return nil }} {
		synctest.Test(t, func(t *testing.T) {
			var values []any
			w, _ := plainWheel(timer.Config{
				Executor: executor,
				OnPanic: func(value any, stack []byte) {
					assert.NotEmpty(t, stack)
					values = append(values, value)
				},
			})
			w.AfterFunc(ms, f)
			time.Sleep(2 * ms)
			synctest.Wait()
			all = append(all, values)
		})
	}
	return all
}

func TestAPanicWhileGoexitRunsDeferredCallsIsToldOnce(t *testing.T) {
	late := []any{"late"}
	assert.Equal(t, [][]any{late, late}, told(t, func() {
		defer func() { panic("late") }()
		runtime.Goexit()
	}))
}

func TestAGoexitIsToldOnce(t *testing.T) {
	exited := []any{timer.ErrGoexit}
	assert.Equal(t, [][]any{exited, exited}, told(t, runtime.Goexit))
}

func TestAnExecutorThatCallsGoexitIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var values []any
		w, _ := plainWheel(timer.Config{
			Executor: func(func()) error { runtime.Goexit(); return nil },
			OnPanic:  func(value any, _ []byte) { values = append(values, value) },
		})
		w.AfterFunc(ms, func() {})
		time.Sleep(2 * ms)
		synctest.Wait()
		assert.Equal(t, []any{timer.ErrGoexit}, values)
	})
}

func TestAHandlerThatCallsGoexitLosesNoTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ran := 0
		w, _ := plainWheel(timer.Config{
			Executor: func(f func()) error { f(); return nil },
			OnPanic:  func(any, []byte) { runtime.Goexit() },
		})
		for range 3 {
			w.AfterFunc(ms, func() { panic("oh") })
			w.AfterFunc(ms, func() { ran++ })
		}
		time.Sleep(2 * ms)
		synctest.Wait()
		assert.Equal(t, 3, ran)
		assert.Zero(t, w.Armed())
	})
}

// A function that arms its timer again may be due again when its Goexit gets to the executor.
func TestTheGoexitOfAFunctionThatIsArmedAgainIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var values []any
		w, _ := plainWheel(timer.Config{
			Executor: func(f func()) error { f(); return nil },
			OnPanic:  func(value any, _ []byte) { values = append(values, value) },
		})
		var h timer.Handle
		armed, runs := make(chan struct{}), 0
		h = w.AfterFunc(ms, func() {
			if runs++; runs == 1 {
				<-armed
				h.Reset(0)
				time.Sleep(10 * ms)
				runtime.Goexit()
			}
		})
		close(armed)
		time.Sleep(100 * ms)
		synctest.Wait()
		assert.Equal(t, 2, runs)
		assert.Equal(t, []any{timer.ErrGoexit}, values)
	})
}
