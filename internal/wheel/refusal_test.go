package wheel

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/timer"
)

// The executor refuses an arming while the timer is reset. That is another arming, which is to be offered to the
// executor on its own.
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
				assert.Zero(t, w.Pending())
				assert.NoError(t, w.Validate())
			})
		}
	}
}
