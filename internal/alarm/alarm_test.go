package alarm

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// in makes the alarm ring so long from now.
func (a *Alarm) in(d time.Duration) {
	now := a.clock.Now()
	a.Set(clock.Later(now, d), now)
}

func TestInBubbleTellsABubbleFromTheRealClock(t *testing.T) {
	if inBubble() {
		t.Error("inBubble() = true outside a bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		a := New(clock.New(0))
		defer a.Close()
		a.in(time.Hour)
		if a.precise != nil {
			t.Error("an alarm made in a bubble uses the real clock")
		}
	})
}

func TestWaitEndsExactlyOnTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New(clock.New(0))
		defer a.Close()
		for _, d := range []time.Duration{time.Nanosecond, time.Hour, 100 * 365 * 24 * time.Hour} {
			start := time.Now()
			a.in(d)
			a.Wait(nil)
			if got := time.Since(start); got != d {
				t.Errorf("waited %v, want %v", got, d)
			}
		}
	})
}

func TestNeverEarlyOnTheRealClock(t *testing.T) {
	a := New(clock.New(0))
	defer a.Close()
	for _, d := range []time.Duration{-1, 0, 1, 50 * time.Microsecond, 3 * time.Millisecond} {
		start := time.Now()
		a.in(d)
		a.Wait(nil)
		if got := time.Since(start); got < d {
			t.Errorf("waited %v, want at least %v", got, d)
		}
	}
}

func TestEarlierSetMovesAWaitingAlarm(t *testing.T) {
	a := New(clock.New(0))
	defer a.Close()
	a.in(time.Hour)
	woken := make(chan struct{})
	go func() {
		a.Wait(nil)
		close(woken)
	}()
	a.in(time.Millisecond)
	<-woken
}

func TestRingEndsTheWait(t *testing.T) {
	for name, virtual := range map[string]bool{"precise": false, "timer": true} {
		t.Run(name, func(t *testing.T) {
			a := New(clock.New(0))
			a.virtual = virtual
			defer a.Close()
			a.in(time.Hour)
			woken := make(chan struct{})
			go func() {
				a.Wait(nil)
				close(woken)
			}()
			a.Ring()
			<-woken
		})
	}
}

// Between the caller's look at the clock and Set the goroutine may be preempted, or wait for a
// lock.
func TestAnOldLookAtTheClockDoesNotPutOffAPreciseAlarm(t *testing.T) {
	a := New(clock.New(int64(24 * time.Hour)))
	defer a.Close()
	a.in(0)
	if a.precise == nil {
		t.Skip("a time.Timer takes a duration only")
	}
	now := a.clock.Now()
	a.Set(now+int64(time.Millisecond), now-int64(time.Hour))
	a.Wait(nil)
	if a.clock.Now() < now+int64(time.Millisecond) {
		t.Error("it is early")
	}
}

func TestATimeBeyondAllClocksIsNotReached(t *testing.T) {
	a := New(clock.New(1))
	defer a.Close()
	a.Set(clock.Never, 1)
	a.Ring()
	a.Wait(nil)
}
