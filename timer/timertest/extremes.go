package timertest

import (
	"fmt"
	"math"
	"time"

	"github.com/punctual-go/punctual/internal/goid"
	"github.com/punctual-go/punctual/timer"
)

// extremes is the family of checks of what lies at the ends of the scale: no delay, less than none,
// more than the clock has left, and no function.
type extremes struct{ *trial }

func (extremes) checks() []check {
	return []check{
		{"no delay and a negative one mean now", of(extremes.atOnce), nil},
		{"AfterFunc does not call the function itself", of(extremes.notByCaller), nil},
		{"a delay past the end of the clock means never", of(extremes.never), nil},
		{"a nil function panics", of(extremes.nilFunction), nil},
	}
}

func (c extremes) atOnce() {
	for _, d := range []time.Duration{0, -1, -time.Hour, math.MinInt64 + 1, math.MinInt64} {
		c.bubble(func() {
			s := c.make(timer.Config{})
			time.Sleep(c.turn() + 1)
			p := c.arm(s, d)
			c.pass(0)
			p.onTime(1, fmt.Sprintf("after %d", d))

			p.reset(d)
			c.pass(0)
			p.onTime(2, fmt.Sprintf("reset to %d", d))
		})
	}
}

func (c extremes) notByCaller() {
	for _, cfg := range []timer.Config{{}, c.serial()} {
		c.bubble(func() {
			s, caller := c.make(cfg), goid.Current()
			for _, d := range []time.Duration{-1, 0, 1} {
				p := c.armThen(s, d, func(*probe) {
					if goid.Current() == caller {
						c.errorf("a function armed with %v has been called by who armed it", d)
					}
				})
				p.reset(d)
				c.pass(1)
			}
		})
	}
}

func (c extremes) never() {
	for _, d := range []time.Duration{
		math.MaxInt64, math.MaxInt64 - 1, math.MaxInt64 - c.tick(), 280 * year, 1 << 62,
		1<<62 + 1<<61,
	} {
		if d < 200*year {
			continue
		}
		c.bubble(func() {
			s := c.make(timer.Config{})
			time.Sleep(time.Second + 1)
			p, again, own := c.arm(s, d), c.arm(s, time.Hour), c.armThen(s, 0, func(p *probe) {
				if p.runs() == 1 {
					p.reset(d)
				}
			})
			c.answers("Reset of an armed function", again.reset(d), true)
			c.pass(120 * year)
			c.arm(s, 1)
			c.pass(21 * year)
			what := fmt.Sprintf("141 years after arming with %d", d)
			p.hasRun(0, what)
			again.hasRun(0, what+" by Reset")
			own.hasRun(1, what+" from itself")
			c.answers("Stop of a function that is never due", p.stop(), true)
			c.answers("Stop of a function reset to never", again.stop(), true)
			c.answers("Stop of a function that reset itself to never", own.stop(), true)
		})
	}
}

func (c extremes) nilFunction() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		defer func() {
			if recover() == nil {
				c.errorf("AfterFunc takes a nil function")
			}
			p := c.arm(s, 1)
			c.pass(1)
			p.onTime(1, "after a nil function")
		}()
		s.AfterFunc(time.Hour, nil)
	})
}
