package timertest

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// resetting is the family of checks of a handle's Reset.
type resetting struct{ *trial }

func (resetting) checks() []check {
	return []check{
		{"Reset moves an armed function", of(resetting.whileArmed), nil},
		{"Reset arms a function that has run", of(resetting.afterRun), nil},
		{"Reset arms a function that was stopped", of(resetting.afterStop), nil},
		{"Reset from the function itself arms it again", of(resetting.fromItself), nil},
		{"Reset of a running function arms it again", of(resetting.whileRunning), nil},
		{"many a Reset leads to one call", of(resetting.often), nil},
		{
			"Reset in a batch of functions of the same time works",
			of(resetting.inBatch), []need{serial(), ordered()},
		},
	}
}

func (c resetting) whileArmed() {
	delays := []time.Duration{
		math.MinInt64, -1, 0, 1, c.tick() - 1, c.tick(), c.tick() + 1, c.turn(), 2*c.turn() + 1,
		day, 10 * year,
	}
	for _, from := range delays[3:] {
		for _, to := range delays {
			c.bubble(func() {
				s := c.make(timer.Config{})
				other := c.arm(s, from)
				p := c.arm(s, from)
				time.Sleep(from / 2)
				what := fmt.Sprintf("Reset from %v to %v", from, to)
				c.answers(what, p.reset(to), true)
				c.pass(max(to, 0))
				p.onTime(1, what)
				c.pass(from)
				p.onTime(1, what+", later")
				other.onTime(1, "beside "+what)
			})
		}
	}
}

func (c resetting) afterRun() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		p := c.arm(s, 1)
		c.pass(1)
		for i, d := range []time.Duration{0, 1, c.tick(), c.turn() + 1, day, -1, year} {
			c.answers("Reset of a function that has run", p.reset(d), false)
			if d > 0 {
				time.Sleep(d - 1)
				p.hasRun(i+1, "before its time")
			}
			c.pass(1)
			p.onTime(i+2, fmt.Sprintf("reset to %v after its run", d))
		}
	})
}

func (c resetting) afterStop() {
	for _, to := range []time.Duration{0, 1, c.tick(), time.Minute, time.Hour, day} {
		c.bubble(func() {
			s := c.make(timer.Config{})
			p := c.arm(s, time.Hour)
			c.answers("Stop", p.stop(), true)
			c.answers("Reset of a stopped function", p.reset(to), false)
			c.pass(to)
			p.onTime(1, fmt.Sprintf("reset to %v after Stop", to))
			c.pass(2 * day)
			p.onTime(1, "long after that")

			p.reset(to + 1)
			c.answers("Stop after Reset", p.stop(), true)
			c.answers("a second Stop after Reset", p.stop(), false)
			c.pass(2 * day)
			p.hasRun(1, "reset, and stopped again")
		})
	}
}

// fromItself makes chains of runs, with delays below, at and above a tick and a turn.
func (c resetting) fromItself() {
	for _, d := range []time.Duration{
		0, 1, c.tick(), c.tick() + 1, c.turn() - c.tick(), c.turn(), c.turn() + 1,
	} {
		c.bubble(func() {
			const n = 200
			p := c.armThen(c.make(timer.Config{}), d, func(p *probe) {
				p.onTime(p.runs(), fmt.Sprintf("resetting itself to %v", d))
				if p.runs() < n {
					c.answers("Reset from the function itself", p.reset(d), false)
				}
			})
			c.pass(n * (d + c.Lateness))
			p.hasRun(n, fmt.Sprintf("resetting itself to %v", d))
		})
	}
}

// whileRunning resets a running function from outside. Its second run is short, as the two may
// overlap.
func (c resetting) whileRunning() {
	c.bubble(func() {
		p := c.armThen(c.make(timer.Config{}), time.Second, func(p *probe) {
			if p.runs() == 1 {
				time.Sleep(time.Minute)
			}
		})
		c.pass(time.Second)
		c.answers("Reset while the function runs", p.reset(time.Hour), false)
		c.answers("a second Reset while the function runs", p.reset(2*time.Hour), true)
		c.pass(2 * time.Hour)
		p.onTime(2, "reset while running")
	})
}

func (c resetting) often() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		p, d := c.arm(s, time.Second), time.Second
		for i := range 2000 {
			d = c.tick() * time.Duration(1+i*7919%(3*c.slots()))
			c.answers("Reset of an armed function", p.reset(d), true)
			if i%10 == 0 {
				time.Sleep(min(d/2, c.tick()*3/2))
			}
		}
		c.pass(d)
		p.onTime(1, "after many a Reset")
		c.pass(10 * c.turn())
		p.hasRun(1, "long after many a Reset")
	})
}

// inBatch lets the first of many functions of one time move some of the others.
func (c resetting) inBatch() {
	c.bubble(func() {
		s := c.make(c.serial())
		const d = time.Minute
		others := make(chan []*probe, 1)
		c.armThen(s, d, func(*probe) {
			for i, p := range <-others {
				if i%2 == 0 {
					c.answers("Reset of a function of the same time", p.reset(d), true)
				}
			}
		})
		probes := c.armMany(s, d, 20)
		others <- probes
		c.pass(d)
		for i, p := range probes {
			p.hasRun(i%2, "in a batch of which every second is reset")
		}
		c.pass(d)
		for _, p := range probes {
			p.onTime(1, "in a batch of which every second was reset")
		}
	})
}
