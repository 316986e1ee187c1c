package timertest

import (
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// economy is the family of checks of how seldom a facility wakes.
type economy struct{ *trial }

func (economy) checks() []check {
	return []check{
		{"a far function alone costs two wake-ups a day", of(economy.oneFar), []need{counting()}},
		{
			"what was stopped wakes the facility no more than once",
			of(economy.stoppedWakes), []need{counting()},
		},
		{"what is armed behind others wakes nobody", of(economy.laterWakes), []need{counting()}},
		{"a facility without functions sleeps", of(economy.noneAtAll), []need{counting()}},
	}
}

func (c economy) oneFar() {
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

func (c economy) stoppedWakes() {
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
func (c economy) laterWakes() {
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

func (c economy) noneAtAll() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.arm(s, 1)
		c.pass(time.Minute)
		before := c.Wakeups(s)
		c.pass(year)
		c.wokenAtMost(s, before, "in a year without functions")
	})
}

func (c economy) wokenAtMost(s timer.Scheduler, most uint64, why string) {
	if n := c.Wakeups(s); n > most {
		c.errorf("%s the facility has woken %d times, want %d at most", why, n, most)
	}
}
