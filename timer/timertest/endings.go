package timertest

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// endings is the family of checks of a facility that is stopped as a whole.
type endings struct{ *trial }

func (endings) checks() []check {
	return []check{
		{
			"a stopped facility calls nothing any more",
			of(endings.callsNothing), []need{stoppable()},
		},
		{
			"a stopped facility refuses what is armed later",
			of(endings.armAfter), []need{stoppable()},
		},
		{
			"a facility can be stopped twice, and before it is used",
			of(endings.twice), []need{stoppable()},
		},
		{
			"a facility can be stopped from a function",
			of(endings.fromFunction), []need{stoppable()},
		},
		{
			"the facility returns what it has stopped, once",
			of(endings.returns), []need{returning()},
		},
		{
			"a function in the Executor has one end when the facility is stopped",
			of(endings.inExecutor), []need{stoppable(), executing()},
		},
	}
}

func (c endings) callsNothing() {
	for _, age := range []time.Duration{0, c.tick(), time.Hour} {
		c.bubble(func() {
			s := c.make(timer.Config{})
			var probes []*probe
			for _, d := range c.edges() {
				probes = append(probes, c.arm(s, age+c.Lateness+2+d))
			}
			own, run := c.arm(s, 2*day), c.arm(s, age)
			own.stop()
			c.pass(age)
			c.Stop(s)
			c.pass(century)
			what := fmt.Sprintf("stopped with the facility at %v", age)
			for _, p := range probes {
				p.hasRun(0, what)
				p.refused(what, timer.ErrClosed)
			}
			run.onTime(1, "before the facility was stopped")
			for _, p := range []*probe{run, own} {
				c.answers("Stop in a stopped facility", p.stop(), false)
				if err := p.err(); err != nil {
					c.errorf("Err of a function that the facility has not stopped is %v, want nil",
						err)
				}
			}
		})
	}
}

func (c endings) armAfter() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		run, own, pending := c.arm(s, 1), c.arm(s, time.Hour), c.arm(s, time.Hour)
		own.stop()
		c.pass(1)
		c.Stop(s)
		for _, d := range []time.Duration{-1, 0, 1, time.Minute, 1<<63 - 1} {
			p := c.arm(s, d)
			p.refused(fmt.Sprintf("armed with %v in a stopped facility", d), timer.ErrClosed)
			c.answers("Reset of a refused function", p.reset(0), false)
			c.pass(time.Hour)
			p.hasRun(0, "armed in a stopped facility")
		}
		for runs, p := range map[int]*probe{1: run, 0: own} {
			c.answers("Reset in a stopped facility", p.reset(1), false)
			p.refused("reset in a stopped facility", timer.ErrClosed)
			c.pass(time.Hour)
			p.hasRun(runs, "reset in a stopped facility")
		}
		c.answers("Reset of a function stopped with the facility", pending.reset(1), false)
		c.pass(time.Hour)
		pending.hasRun(0, "reset after it was stopped with the facility")
	})
}

func (c endings) twice() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		if n := len(c.Stop(s)); n != 0 {
			c.errorf("an unused facility returns %d handles", n)
		}
		c.arm(s, 1).refused("armed in a facility stopped before its use", timer.ErrClosed)

		s = c.make(timer.Config{})
		c.arm(s, time.Hour)
		c.pass(time.Minute)
		c.Stop(s)
		for range 3 {
			if n := len(c.Stop(s)); n != 0 {
				c.errorf("a facility stopped before returns %d handles", n)
			}
		}
	})
}

// fromFunction stops the facility from a function, with and without an Executor that keeps the
// facility waiting meanwhile.
func (c endings) fromFunction() {
	for _, cfg := range []timer.Config{{}, c.serial()} {
		c.bubble(func() {
			s := c.make(cfg)
			pending := c.arm(s, time.Hour)
			p := c.armThen(s, time.Minute, func(p *probe) {
				if p.runs() > 1 {
					return
				}
				handles := c.Stop(s)
				if c.Returns && (len(handles) != 1 || handles[0] != pending.handle()) {
					c.errorf("Stop from a function returns %d handles, want the one that is armed",
						len(handles))
				}
				c.answers("Stop of the function that has stopped the facility", p.stop(), false)
				c.answers("Reset of the function that has stopped the facility", p.reset(1), false)
			})
			c.pass(day)
			p.hasRun(1, "stopping the facility")
			pending.hasRun(0, "stopped with the facility by a function")
			pending.refused("stopped with the facility by a function", timer.ErrClosed)
		})
	}
}

func (c endings) returns() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		want := map[timer.Handle]*probe{}
		for i, d := range c.edges() {
			p := c.arm(s, d+time.Hour+c.Lateness+1)
			if i%3 == 0 {
				c.answers("Stop", p.stop(), true)
				continue
			}
			if i%3 == 1 {
				c.answers("Reset", p.reset(2*time.Hour+d), true)
			}
			want[p.handle()] = p
		}
		c.arm(s, time.Minute)
		c.pass(time.Hour)
		for _, h := range c.Stop(s) {
			p := want[h]
			if p == nil {
				c.errorf("the facility returns a handle twice, or one that was not armed")
				continue
			}
			delete(want, h)
			p.refused("returned by the facility", timer.ErrClosed)
		}
		for _, p := range want {
			if p.runs() == 0 {
				c.errorf("the facility has not returned what was armed and has not run")
			}
		}
	})
}

// inExecutor stops a facility with functions that are due and wait in the Executor. The facility
// may take them back or leave them there, but must not do both.
func (c endings) inExecutor() {
	c.bubble(func() {
		var held shelf
		s := c.make(timer.Config{Executor: held.execute})
		begun := c.arm(s, time.Second)
		c.pass(time.Second)
		held.clear()
		stopped, waiting := c.arm(s, time.Minute), c.arm(s, time.Minute)
		c.pass(time.Minute)
		c.answers("Stop of a function that waits in the Executor", stopped.stop(), true)
		taken := len(c.Stop(s))
		takenBack := waiting.err() != nil
		held.clear()
		begun.hasRun(1, "called before the facility was stopped")
		stopped.hasRun(0, "stopped by its owner before the facility was")
		if !takenBack {
			waiting.hasRun(1, "left to the Executor when the facility was stopped")
		} else {
			waiting.hasRun(0, "taken back from the Executor when the facility was stopped")
			waiting.refused("taken back from the Executor", timer.ErrClosed)
		}
		if c.Returns && (taken == 1) != takenBack {
			c.errorf("the facility returns %d handles, that it has taken one back is %t", taken,
				takenBack)
		}
	})
}
