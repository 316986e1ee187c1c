package alarm

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// A busy process may not see for long that the kernel's timer has expired.
func TestTheKernelsTimerIsNotTheOnlyOneToEndAWait(t *testing.T) {
	c := clock.New(int64(24 * time.Hour))
	p, ok := newPoller(c).(*pollerMeans)
	if !ok {
		t.Skip("the netpoller does not take a timerfd here")
	}
	defer p.close()
	for _, d := range []time.Duration{100 * time.Microsecond, 3 * longWait} {
		now := c.Now()
		at := clock.Later(now, d)
		p.set(at, now)
		p.timerfd.set(at+int64(time.Hour), now)
		p.wait(nil)
		if woke := c.Now(); woke < at {
			t.Errorf("woke %d before its time", at-woke)
		}
	}
}

// Nobody reads the timer, so it is on to the netpoller that it expires once more.
func TestATimerThatIsSetAgainExpiresAgain(t *testing.T) {
	c := clock.New(int64(24 * time.Hour))
	p, ok := newPoller(c).(*pollerMeans)
	if !ok {
		t.Skip("the netpoller does not take a timerfd here")
	}
	defer p.close()
	for range 20 {
		now := c.Now()
		at := clock.Later(now, 500*time.Microsecond)
		p.set(at, now)
		_ = p.file.SetReadDeadline(time.Time{})
		p.wait(nil)
		if woke := c.Now(); woke < at {
			t.Errorf("woke %d before its time", at-woke)
		}
	}
}
