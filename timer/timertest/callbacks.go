package timertest

import (
	"time"

	"github.com/punctual-go/punctual/timer"
)

// callbacks is the family of checks of what functions may do while they run: call the facility, arm
// others, and take their time.
type callbacks struct{ *trial }

func (callbacks) checks() []check {
	return []check{
		{"a function may call every method", of(callbacks.everything), nil},
		{"a function may arm another, again and again", of(callbacks.relay), nil},
		{"a function that runs long holds up no other", of(callbacks.slow), []need{notSerial()}},
	}
}

func notSerial() need {
	return need{"calls one function after the other itself", func(f Facility) bool {
		return !f.Serial
	}}
}

// everything calls every method from a function, with and without an Executor that keeps the
// facility waiting meanwhile.
func (c callbacks) everything() {
	for _, cfg := range []timer.Config{{}, c.serial()} {
		c.bubble(func() {
			s := c.make(cfg)
			stopped, moved := c.arm(s, time.Hour), c.arm(s, time.Hour)
			var fresh *probe
			p := c.armThen(s, time.Minute, func(p *probe) {
				if p.runs() > 1 {
					return
				}
				fresh = c.arm(s, time.Second)
				c.answers("Stop of another", stopped.stop(), true)
				c.answers("Reset of another", moved.reset(time.Second), true)
				c.answers("Stop of the function itself", p.stop(), false)
				c.answers("Reset of the function itself", p.reset(time.Second), false)
				c.answers("Stop of the function itself, armed again", p.stop(), true)
				c.answers("Reset of the function itself, stopped", p.reset(2*time.Second), false)
				if err := p.err(); err != nil {
					c.errorf("Err in a function is %v, want nil", err)
				}
			})
			c.pass(time.Minute + c.Lateness + 2*time.Second)
			stopped.hasRun(0, "stopped by another function")
			moved.onTime(1, "moved by another function")
			p.onTime(2, "armed by itself")
			if fresh == nil {
				return
			}
			fresh.onTime(1, "armed by another function")
		})
	}
}

// relay makes each function arm the next, with delays of all sizes: a wheel at work on a slot must
// not put a new function where it has just looked.
func (c callbacks) relay() {
	for _, cfg := range []timer.Config{{}, c.serial()} {
		c.bubble(func() {
			s, legs, runs := c.make(cfg), c.edges(), 0
			total := time.Duration(0)
			for i, d := range legs {
				if total += d + c.Lateness; total > century {
					legs = legs[:i]
					break
				}
			}
			var next func(p *probe)
			next = func(p *probe) {
				p.onTime(1, "armed by the one before")
				if runs++; runs < len(legs) {
					c.armThen(s, legs[runs], next)
				}
			}
			c.armThen(s, legs[0], next)
			c.pass(century)
			if runs != len(legs) {
				c.errorf("%d of %d functions have run, each armed by the one before", runs,
					len(legs))
			}
		})
	}
}

func (c callbacks) slow() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		c.armThen(s, time.Second, func(*probe) { time.Sleep(time.Hour) })
		same, next := c.arm(s, time.Second), c.arm(s, time.Minute)
		c.pass(2 * time.Hour)
		same.onTime(1, "beside one that runs for an hour")
		next.onTime(1, "after one that runs for an hour")
	})
}
