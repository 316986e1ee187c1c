package timertest

import (
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

func economy() []check {
	return []check{
		{"a far function alone costs two wake-ups a day", oneFar, []need{counting()}},
		{"what was stopped wakes the facility no more than once", stoppedWakes, []need{counting()}},
		{"what is armed behind others wakes nobody", laterWakes, []need{counting()}},
		{"a facility without functions sleeps", noneAtAll, []need{counting()}},
	}
}

func oneFar(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{})
		p := c.arm(s, 24*time.Hour)
		c.pass(24 * time.Hour)
		p.onTime(1, "after a day")
		c.wokenAtMost(s, 2, "for a function due in a day")
	})
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.arm(s, time.Second)
		c.arm(s, 30*day)
		c.pass(time.Second)
		before := c.Wakeups(s)
		c.pass(24 * time.Hour)
		c.wokenAtMost(s, before+2, "in a day before a function due in a month")
	})
}

func stoppedWakes(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{})
		for i := range 1000 {
			p := c.arm(s, time.Hour+time.Duration(i)*time.Second)
			if i == 0 {
				synctest.Wait() // until the goroutine of a facility that has one waits
			}
			c.answers("Stop", p.stop(), true)
		}
		c.pass(day)
		c.wokenAtMost(s, 2, "for a thousand functions that were stopped at once")
	})
}

// laterWakes arms a thousand functions behind the one that the facility waits for.
func laterWakes(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.arm(s, time.Hour)
		c.pass(time.Minute)
		before := c.Wakeups(s)
		for i := range 1000 {
			c.arm(s, time.Hour+time.Duration(i)*time.Minute)
			c.pass(time.Second)
		}
		c.wokenAtMost(s, before+1, "for functions armed behind others")
	})
}

func noneAtAll(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.arm(s, 1)
		c.pass(time.Minute)
		before := c.Wakeups(s)
		c.pass(year)
		c.wokenAtMost(s, before, "in a year without functions")
	})
}

func (c *trial) wokenAtMost(s timer.Scheduler, most uint64, why string) {
	if n := c.Wakeups(s); n > most {
		c.errorf("%s the facility has woken %d times, want %d at most", why, n, most)
	}
}
