package wheel

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/timer"
)

// A turn ends while somebody arms a timer, who has found the wheel awake, or is about to look. One
// of the two sees the other: nobody else would wake the wheel.
func TestATimerIsNotOverlookedWhenATurnEndsAsItIsArmed(t *testing.T) {
	for _, d := range []time.Duration{0, ms, time.Hour} {
		inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
			start, begun := time.Now(), time.Duration(-1)
			goOn := make(chan struct{})
			w.AfterFunc(0, func() { <-goOn })
			synctest.Wait() // the turn is held up

			held := false
			defer delay.Set(func(p delay.Point) {
				if p == delay.TimerPushed && !held {
					held = true
					close(goOn)
					synctest.Wait() // the turn has come to its end, or has found the timer
				}
			})()
			w.AfterFunc(d, func() { begun = time.Since(start) })
			time.Sleep(24 * time.Hour)
			synctest.Wait()
			assert.True(t, held)
			assert.Equal(t, d, begun)
		})
	}
}

// The executor knows the timer, ends it one way or the other, and then refuses it.
func TestATimerThatHasEndedInTheExecutorIsCountedOnceWhenItIsRefused(t *testing.T) {
	for name, end := range map[string]func(h timer.Handle, f func()){
		"stopped": func(h timer.Handle, _ func()) { h.Stop() },
		"called":  func(_ timer.Handle, f func()) { f() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				made := make(chan timer.Handle, 1)
				w, _ := plainWheel(timer.Config{Executor: func(f func()) error {
					end(<-made, f)
					return errors.New("full")
				}})
				defer w.Close(nil)
				h := w.AfterFunc(ms, nothing)
				made <- h
				time.Sleep(ms)
				synctest.Wait()
				assert.Zero(t, w.Armed())
				assert.NoError(t, timer.Err(h))
			})
		})
	}
}
