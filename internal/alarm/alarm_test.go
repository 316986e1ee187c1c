package alarm

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestInBubbleTellsABubbleFromTheRealClock(t *testing.T) {
	if inBubble() {
		t.Error("inBubble() = true outside a bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		a := New()
		defer a.Close()
		a.Set(time.Hour)
		if a.precise != nil {
			t.Error("an alarm made in a bubble uses the real clock")
		}
	})
}

func TestWaitEndsExactlyOnTimeInABubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New()
		defer a.Close()
		for _, d := range []time.Duration{time.Nanosecond, time.Hour, 100 * 365 * 24 * time.Hour} {
			start := time.Now()
			a.Set(d)
			a.Wait(nil)
			if got := time.Since(start); got != d {
				t.Errorf("waited %v, want %v", got, d)
			}
		}
	})
}

func TestNeverEarlyOnTheRealClock(t *testing.T) {
	a := New()
	defer a.Close()
	for _, d := range []time.Duration{-1, 0, 1, 50 * time.Microsecond, 3 * time.Millisecond} {
		start := time.Now()
		a.Set(d)
		a.Wait(nil)
		if got := time.Since(start); got < d {
			t.Errorf("waited %v, want at least %v", got, d)
		}
	}
}

func TestEarlierSetMovesAWaitingAlarm(t *testing.T) {
	a := New()
	defer a.Close()
	a.Set(time.Hour)
	woken := make(chan struct{})
	go func() {
		a.Wait(nil)
		close(woken)
	}()
	a.Set(time.Millisecond)
	<-woken
}

func TestRingEndsTheWait(t *testing.T) {
	for name, virtual := range map[string]bool{"precise": false, "timer": true} {
		t.Run(name, func(t *testing.T) {
			a := New()
			a.virtual = virtual
			defer a.Close()
			a.Set(time.Hour)
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
