package wheel

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer"
)

// The executor refuses an arming while the timer is reset. That is another arming, which is to be
// offered to the executor on its own.
func TestARefusalIsOfTheArmingThatWasOffered(t *testing.T) {
	for _, again := range []time.Duration{-time.Second, 0, 1, 10 * time.Millisecond, 50 * time.Millisecond} {
		for _, refusals := range []int{1, 2} {
			synctest.Test(t, func(t *testing.T) {
				var h timer.Handle
				offers, calls := 0, 0
				w := New(timer.Config{Tick: 10 * time.Millisecond, Executor: func(f func()) error {
					if offers++; offers == 1 {
						assert.True(t, h.Reset(again))
					}
					if offers <= refusals {
						return errors.New("busy")
					}
					f()
					return nil
				}}, new(plain))
				h = w.AfterFunc(time.Hour, func() { calls++ })
				h.Reset(10 * time.Millisecond)
				time.Sleep(time.Second)
				synctest.Wait()
				assert.Equal(t, 2, offers, "reset to %v", again)
				assert.Equal(t, 2-refusals, calls)
				assert.Equal(t, refusals == 2, errors.Is(timer.Err(h), timer.ErrRejected))
				assert.Zero(t, w.Armed())
				assert.NoError(t, w.Validate())
			})
		}
	}
}

func TestAnExecutorThatPanicsHasRefusedAndTheWheelGoesOn(t *testing.T) {
	for name, value := range map[string]any{"error": errors.New("boom"), "nil": nil} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []any
				offers, begun := 0, 0
				w, _ := plainWheel(timer.Config{
					Executor: func(f func()) error {
						if offers++; offers == 1 {
							panic(value)
						}
						f()
						return nil
					},
					OnPanic: func(v any, stack []byte) {
						told = append(told, v)
						assert.Contains(t, string(stack), "refusal_test.go")
					},
				})
				first := w.AfterFunc(ms, func() { begun += 100 })
				w.AfterFunc(ms, func() { begun++ })
				w.AfterFunc(2*ms, func() { begun++ })
				time.Sleep(2 * ms)
				synctest.Wait()
				assert.Equal(t, 2, begun)
				assert.Len(t, told, 1)
				assert.ErrorIs(t, timer.Err(first), timer.ErrRejected)
				assert.Zero(t, w.Armed())
				assert.NoError(t, w.Validate())
				assert.False(t, first.Reset(ms), "it can be armed again")
				time.Sleep(ms)
				synctest.Wait()
				assert.Equal(t, 102, begun)
			})
		})
	}
}

// What the function has armed for itself is another arming.
func TestAnExecutorThatPanicsAfterTheCallHasRefusedNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		offers, begun := 0, 0
		w, _ := plainWheel(timer.Config{
			Executor: func(f func()) error {
				f()
				if offers++; offers == 1 {
					panic("boom")
				}
				return nil
			},
			OnPanic: func(any, []byte) {},
		})
		var h timer.Handle
		h = w.AfterFunc(time.Hour, func() {
			if begun++; begun == 1 {
				h.Reset(ms)
			}
		})
		h.Reset(ms)
		time.Sleep(ms)
		synctest.Wait()
		assert.Equal(t, 1, w.Armed())
		assert.NoError(t, timer.Err(h))
		time.Sleep(ms)
		synctest.Wait()
		assert.Equal(t, 2, begun)
		assert.Zero(t, w.Armed())
	})
}
