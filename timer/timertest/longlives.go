package timertest

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// longLives is the family of checks of facilities that grow old, and of functions due in the far
// future.
type longLives struct{ *trial }

func (longLives) checks() []check {
	return []check{
		{"a facility works past 31 and 32 bits of ticks", of(longLives.manyTicks), nil},
		{"a facility that was idle for long is on time", of(longLives.idle), nil},
		{
			"a far function and near ones do not get into each other's way",
			of(longLives.farAndNear), nil,
		},
		{
			"functions of one slot and many turns begin each in its own",
			of(longLives.manyTurns), nil,
		},
		{"a time past the end of the clock never comes", of(longLives.endOfClock), nil},
	}
}

// manyTicks arms functions just before, at and after the ages at which a tick counter may wrap, for
// ticks of the facility's own size and of common sizes.
func (c longLives) manyTicks() {
	for _, tick := range []time.Duration{
		c.tick(), 1, time.Microsecond, time.Millisecond, 10 * time.Millisecond,
	} {
		for _, ticks := range []time.Duration{1 << 31, 1 << 32, 3 << 31} {
			age := ticks * tick
			if tick > century/ticks {
				continue
			}
			c.bubble(func() {
				s := c.make(timer.Config{})
				before := c.arm(s, age+1)
				time.Sleep(age - 3*c.tick()/2)
				var probes []*probe
				for range 7 {
					for _, d := range []time.Duration{0, 1, c.tick(), 3 * c.tick(), c.turn(), day} {
						probes = append(probes, c.arm(s, d))
					}
					time.Sleep(c.tick() / 2)
				}
				c.pass(day)
				what := fmt.Sprintf("at an age of 0x%x times %v", int64(ticks), tick)
				before.onTime(1, "due "+what)
				for _, p := range probes {
					p.onTime(1, "armed "+what)
				}
			})
		}
	}
}

func (c longLives) idle() {
	for _, age := range []time.Duration{
		c.tick() * 3 / 2, c.turn() - 1, c.turn() * 5 / 2, day, year + 1, century + 7,
	} {
		c.bubble(func() {
			s := c.make(timer.Config{})
			first := c.arm(s, 1)
			time.Sleep(age)
			var probes []*probe
			for _, d := range c.edges() {
				if d < year {
					probes = append(probes, c.arm(s, d))
				}
			}
			c.pass(year)
			first.onTime(1, "at first")
			for _, p := range probes {
				p.onTime(1, fmt.Sprintf("after %v without any", age))
			}
		})
	}
}

func (c longLives) farAndNear() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		far := []*probe{c.arm(s, 30*day), c.arm(s, 300*day), c.arm(s, 150*year)}
		for i := range 1500 {
			d := c.tick() * time.Duration(i%7)
			near := c.arm(s, d)
			c.pass(d + time.Duration(i)*c.tick())
			near.onTime(1, "near")
		}
		c.pass(300 * day)
		far[0].onTime(1, "far")
		far[1].onTime(1, "farther")
		far[2].hasRun(0, "farthest")
	})
}

// manyTurns arms, from a function that runs in a slot, more functions for that slot: for the next
// turn, the one after, and so on, and some for a moment before each.
func (c longLives) manyTurns() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		probes := make(chan *probe, 1000)
		for i := range 10 {
			c.armThen(s, time.Duration(i)*c.turn()+c.tick()/2, func(*probe) {
				for k := range time.Duration(20) {
					probes <- c.arm(s, k*c.turn())
					probes <- c.arm(s, (k+1)*c.turn()-1)
					probes <- c.arm(s, (k+1)*c.turn()-c.tick())
				}
			})
		}
		c.pass(40 * c.turn())
		close(probes)
		n := 0
		for p := range probes {
			p.onTime(1, "armed in its slot")
			n++
		}
		if n != 600 {
			c.errorf("%d functions have been armed, want 600", n)
		}
	})
}

// endOfClock arms, at some age of the facility, functions due around the end of 63 bits of
// nanoseconds.
func (c longLives) endOfClock() {
	for _, age := range []time.Duration{1, year, century} {
		c.bubble(func() {
			s := c.make(timer.Config{})
			first := c.arm(s, 1)
			time.Sleep(age)
			var probes []*probe
			for _, before := range []time.Duration{
				-c.turn(), -c.tick(), -1, 0, 1, c.tick(), c.turn(),
			} {
				probes = append(probes, c.arm(s, math.MaxInt64-age-max(before, -age)))
			}
			near := c.arm(s, day)
			c.pass(century)
			first.onTime(1, "at first")
			near.onTime(1, "beside some that are never due")
			for _, p := range probes {
				p.hasRun(0, fmt.Sprintf("a century after the age of %v", age))
				c.answers("Stop of what is never due", p.stop(), true)
			}
		})
	}
}
