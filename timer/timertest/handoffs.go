package timertest

import (
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// handOffs is the family of checks of what passes through an Executor, which may keep a function
// waiting or refuse it.
type handOffs struct{ *trial }

func (handOffs) checks() []check {
	needs := []need{executing()}
	return []check{
		{"Stop works until the Executor calls the function", of(handOffs.stop), needs},
		{"Reset works until the Executor calls the function", of(handOffs.reset), needs},
		{"a function handed over twice is called once", of(handOffs.twice), needs},
		{"an Executor is handed every function once", of(handOffs.eachOnce), needs},
		{"a refusal by the Executor is told", of(handOffs.refusal), needs},
		{"a function refused by the Executor can be reset", of(handOffs.resetRefused), needs},
	}
}

func (c handOffs) stop() {
	c.bubble(func() {
		var held shelf
		s := c.make(timer.Config{Executor: held.execute})
		p, other := c.arm(s, time.Second), c.arm(s, time.Second)
		c.pass(time.Second)
		c.answers("Stop of a function that waits in the Executor", p.stop(), true)
		c.answers("a second Stop of it", p.stop(), false)
		held.clear()
		p.hasRun(0, "stopped in the Executor")
		other.hasRun(1, "beside a stopped one in the Executor")
		c.answers("Stop after the Executor has called the function", other.stop(), false)
	})
}

// reset also checks that what the Executor still holds from before does not run in place
// of the new arming.
func (c handOffs) reset() {
	c.bubble(func() {
		var held shelf
		s := c.make(timer.Config{Executor: held.execute})
		p := c.arm(s, time.Second)
		c.pass(time.Second)
		c.answers("Reset of a function that waits in the Executor", p.reset(time.Hour), true)
		held.clear()
		p.hasRun(0, "reset in the Executor, which called it then")
		c.pass(time.Hour)
		held.clear()
		p.hasRun(1, "reset in the Executor, and due")

		c.answers("Reset of a function that has run", p.reset(time.Second), false)
		c.pass(time.Second)
		c.answers("Stop of a function that waits in the Executor", p.stop(), true)
		c.answers("Reset of a function stopped in the Executor", p.reset(time.Hour), false)
		held.clear()
		p.hasRun(1, "stopped and reset in the Executor")
		c.pass(time.Hour)
		held.clear()
		p.hasRun(2, "stopped and reset in the Executor, and due")
	})
}

func (c handOffs) twice() {
	for _, stopped := range []bool{false, true} {
		c.bubble(func() {
			var held shelf
			s := c.make(timer.Config{Executor: held.execute})
			p := c.arm(s, time.Second)
			c.pass(time.Second)
			for range 3 {
				if stopped {
					c.answers("Stop of a function that waits in the Executor", p.stop(), true)
				}
				c.answers("Reset of a function that waits in the Executor",
					p.reset(time.Second), !stopped)
				c.pass(time.Second)
			}
			held.clear()
			p.hasRun(1, "handed over four times")
			c.pass(time.Hour)
			held.clear()
			p.hasRun(1, "long after it was handed over four times")
		})
	}
}

func (c handOffs) eachOnce() {
	c.bubble(func() {
		var held shelf
		s := c.make(timer.Config{Executor: held.execute})
		var probes []*probe
		for i := range 500 {
			probes = append(probes, c.arm(s, time.Duration(i%50)*c.tick()/3))
		}
		c.pass(50 * c.tick())
		if n := held.clear(); n != len(probes) {
			c.errorf("the Executor has been handed %d functions, want %d", n, len(probes))
		}
		for _, p := range probes {
			p.hasRun(1, "called by the Executor")
		}
	})
}

func (c handOffs) refusal() {
	c.bubble(func() {
		var door doorman
		s := c.make(timer.Config{Executor: door.execute})
		door.close(errors.New("no room"))
		p, never := c.arm(s, time.Second), c.arm(s, 0)
		c.pass(time.Second)
		door.close(nil)
		for i, p := range []*probe{p, never} {
			what := fmt.Sprintf("refused function %d", i)
			p.hasRun(0, what)
			p.refused(what, timer.ErrRejected)
			err := p.err()
			if errors.Is(err, timer.ErrClosed) || errors.Is(err, timer.ErrSaturated) {
				c.errorf("%s: Err is %v, want neither of ErrClosed and ErrSaturated", what, err)
			}
		}
		next := c.arm(s, time.Second)
		c.pass(time.Second)
		next.onTime(1, "after a refused one")
	})
}

func (c handOffs) resetRefused() {
	c.bubble(func() {
		var door doorman
		s := c.make(timer.Config{Executor: door.execute})
		door.close(errors.New("no room"))
		p := c.arm(s, time.Second)
		c.pass(time.Second)
		door.close(nil)
		c.answers("Reset of a refused function", p.reset(time.Second), false)
		if err := p.err(); err != nil {
			c.errorf("Err of a function that is armed again is %v, want nil", err)
		}
		c.pass(time.Second)
		p.onTime(1, "reset after it was refused")
	})
}
