package wheel

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/delay/delaytest"
	"github.com/punctual-go/punctual/timer"
)

// The tests of this file hold bugs of other timers, whose threads docs/rows.md names, against what
// all wheels share. A delay point makes the unlucky order the only one.

// Two timers come just before the wheel says that it will not look until the end of time, or just
// after, and both wait for its lock. Neither is overlooked.
func TestB5_TwoTimersThatComeAsTheWheelGoesToRestAreNotOverlooked(t *testing.T) {
	for name, before := range map[string]bool{"before it says so": true, "after": false} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
				var begun []time.Duration
				start := time.Now()
				arm := func(d time.Duration) {
					w.AfterFunc(d, func() { begun = append(begun, time.Since(start)) })
				}
				two := sync.OnceFunc(func() {
					go arm(3 * ms)
					go arm(2 * ms)
					for range 1000 { // both are in the intake
						runtime.Gosched()
					}
				})
				if before {
					p.onNext = func() {
						if len(p.timers) == 0 {
							two()
						}
					}
				} else {
					delaytest.Once(t, delay.WheelRestsLocked, two)
				}
				w.AfterFunc(ms, nothing)
				time.Sleep(time.Hour)
				synctest.Wait()
				assert.Equal(t, []time.Duration{3 * ms, 4 * ms}, begun)
			})
		})
	}
}

// Who arms a timer is held up before it makes sure that the wheel is awake, and a turn comes and
// goes meanwhile.
func TestB17_ATimerThatATurnHasTakenBeforeItsArmerLooksBeginsOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		var begun []time.Duration
		start := time.Now()
		w.AfterFunc(5*ms, nothing)
		delaytest.Once(t, delay.TimerPushed, func() { time.Sleep(10 * ms) })
		w.AfterFunc(3*ms, func() { begun = append(begun, time.Since(start)) })
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, []time.Duration{5 * ms}, begun, "with the turn that has found it")
		assert.Zero(t, w.Armed())
	})
}

// The wheel is closed when a timer is in the intake, and its armer does not know: one of the two
// has it.
func TestB16_ATimerThatIsArmedAsTheWheelClosesIsReturnedOrRefused(t *testing.T) {
	for name, d := range map[string]time.Duration{"due": 0, "later": time.Hour} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
				var returned []timer.Handle
				delaytest.Once(t, delay.TimerPushed, func() { returned = w.Close(nil) })
				begun := false
				h := w.AfterFunc(d, func() { begun = true })
				synctest.Wait()
				assert.Equal(t, []timer.Handle{h}, returned)
				assert.ErrorIs(t, timer.Err(h), timer.ErrClosed)
				assert.False(t, begun || h.Stop())
				assert.Zero(t, w.Armed()+len(p.timers))
			})
		})
	}
}

// A timer is stopped, or put off, when it has left the wheel, and its function has not begun.
func TestB14_ATimerThatIsStoppedOnItsWayToTheExecutorIsCountedOnce(t *testing.T) {
	inBubble(t, func(t *testing.T, w *Wheel, _ *plain) {
		begun := 0
		h := w.AfterFunc(ms, func() { begun++ })
		delaytest.Once(t, delay.TimerDue, func() {
			assert.Equal(t, 1, w.Armed())
			assert.True(t, h.Stop())
			assert.Zero(t, w.Armed())
			assert.False(t, h.Reset(ms))
			assert.Equal(t, 1, w.Armed())
		})
		time.Sleep(time.Hour)
		synctest.Wait()
		assert.Equal(t, 1, begun)
		assert.Zero(t, w.Armed())
	})
}

// As many timers as the intake holds before it is emptied, and one more or less.
func TestB55_AnyNumberOfTimersPassesThroughTheIntake(t *testing.T) {
	for _, n := range []int{1, backlog - 1, backlog, backlog + 1, 2*backlog + 1} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			inBubble(t, func(t *testing.T, w *Wheel, p *plain) {
				w.AfterFunc(time.Hour, nothing) // what comes later than this waits in the intake
				var handles []timer.Handle
				begun := 0
				for range n {
					handles = append(handles, w.AfterFunc(2*time.Hour, func() { begun++ }))
				}
				for _, h := range handles[:n/2] {
					assert.True(t, h.Stop())
				}
				assert.Equal(t, 1+n-n/2, w.Armed())
				time.Sleep(3 * time.Hour)
				synctest.Wait()
				assert.Equal(t, n-n/2, begun)
				assert.Zero(t, w.Armed()+len(p.timers))
			})
		})
	}
}
