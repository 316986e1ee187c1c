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
	if InBubble() {
		t.Error("InBubble() = true outside a bubble")
	}
	synctest.Test(t, func(t *testing.T) {
		a := New(clock.New(0))
		defer a.Close()
		a.in(time.Hour)
		if a.way.Load() != timer {
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
	now := a.clock.Now()
	a.Advance(now+int64(time.Millisecond), now)
	<-woken
}

// each runs f with an alarm for each way to wait that there is here.
func each(t *testing.T, f func(t *testing.T, a *Alarm)) {
	for way, name := range []string{"thread", "poller", "timer"} {
		t.Run(name, func(t *testing.T) {
			a := New(clock.New(int64(24 * time.Hour)))
			a.only(int32(way))
			if !a.have(int32(way)) {
				t.Skip("this system does not have it")
			}
			defer a.Close()
			f(t, a)
		})
	}
}

// only makes the alarm choose the given way, for waits that are not too long for it.
func (a *Alarm) only(way int32) {
	a.load.looked = clock.Never / 2 // it never looks again
	switch way {
	case thread:
		a.load.quiet, a.load.processors = true, 1<<10
	case timer:
		a.load.crowded = true
	}
}

func TestRingEndsTheWait(t *testing.T) {
	each(t, func(t *testing.T, a *Alarm) {
		for range 10 {
			a.in(shortWait)
			now := a.clock.Now()
			a.Advance(now+int64(time.Hour), now)
			woken := make(chan struct{})
			go func() {
				a.Wait(nil)
				close(woken)
			}()
			a.Ring()
			<-woken
		}
	})
}

func TestARingBeforeTheWaitIsKept(t *testing.T) {
	each(t, func(t *testing.T, a *Alarm) {
		a.in(shortWait)
		now := a.clock.Now()
		a.Advance(now+int64(time.Hour), now)
		a.Ring()
		a.Wait(nil)
	})
}

func TestNoWayIsEarly(t *testing.T) {
	each(t, func(t *testing.T, a *Alarm) {
		for _, d := range []time.Duration{-1, 0, 1, 50 * time.Microsecond, shortWait} {
			for range 20 {
				now := a.clock.Now()
				at := clock.Later(now, d)
				a.Set(at, now)
				if woke := a.Wait(nil); woke < at || a.clock.Now() < woke {
					t.Fatalf("woke at %d, %d after its time", woke, woke-at)
				}
			}
		}
	})
}

// Between the caller's look at the clock and Set the goroutine may be preempted, or wait for a
// lock.
func TestAnOldLookAtTheClockDoesNotPutOffAPreciseAlarm(t *testing.T) {
	a := New(clock.New(int64(24 * time.Hour)))
	defer a.Close()
	a.in(0)
	if a.way.Load() == timer {
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
