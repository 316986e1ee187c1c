package timertest

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing/synctest"
	"time"
	"weak"

	"github.com/punctual-go/punctual/timer"
)

// stopping is the family of checks of a handle's Stop.
type stopping struct{ *trial }

func (stopping) checks() []check {
	return []check{
		{"Stop keeps a function from being called and says so once", of(stopping.once), nil},
		{"Stop right after arming works", of(stopping.fresh), nil},
		{"Stop of a running function is false and does not wait", of(stopping.whileRunning), nil},
		{"Stop of a function that has run is false", of(stopping.afterRun), nil},
		{
			"Stop in a batch of functions of the same time works",
			of(stopping.inBatch), []need{serial(), ordered()},
		},
		{"Stop lets go of the function soon", of(stopping.letsGo), nil},
	}
}

func (c stopping) once() {
	for _, d := range []time.Duration{1, c.tick(), c.turn(), c.turn() * 3, day, 50 * year} {
		for _, wait := range []time.Duration{0, d / 2, d - 1} {
			c.bubble(func() {
				s := c.make(timer.Config{})
				p, other := c.arm(s, d), c.arm(s, d)
				time.Sleep(wait)
				what := fmt.Sprintf("Stop %v before its time", d-wait)
				c.answers(what, p.stop(), true)
				c.answers("a second "+what, p.stop(), false)
				c.pass(d - wait + c.turn())
				p.hasRun(0, "after "+what)
				other.onTime(1, "beside "+what)
				c.answers("a late "+what, p.stop(), false)
				if err := p.err(); err != nil {
					c.errorf("Err after Stop is %v, want nil", err)
				}
			})
		}
	}
}

// fresh stops functions before the facility has had a moment to look at them.
func (c stopping) fresh() {
	c.bubble(func() {
		s, random := c.make(timer.Config{}), rand.New(rand.NewPCG(2, 2))
		var stopped, kept []*probe
		for range 1000 {
			p := c.arm(s, 1+magnitude(random, day))
			if random.IntN(3) > 0 {
				c.answers("Stop right after arming", p.stop(), true)
				stopped = append(stopped, p)
			} else {
				kept = append(kept, p)
			}
		}
		c.pass(day)
		for _, p := range stopped {
			p.hasRun(0, "after Stop right after arming")
		}
		for _, p := range kept {
			p.onTime(1, "beside stopped functions")
		}
	})
}

func (c stopping) whileRunning() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		p := c.armThen(s, time.Second, func(p *probe) {
			c.answers("Stop from the function itself", p.stop(), false)
			time.Sleep(time.Hour)
		})
		time.Sleep(time.Second + c.Lateness + 1)
		before := c.now()
		c.answers("Stop while the function runs", p.stop(), false)
		if waited := c.now() - before; waited != 0 {
			c.errorf("Stop has waited %v for the function", waited)
		}
		c.pass(2 * time.Hour)
		p.onTime(1, "after Stop while it runs")
	})
}

func (c stopping) afterRun() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		for _, d := range []time.Duration{0, 1, c.tick(), c.turn()} {
			p := c.arm(s, d)
			c.pass(d)
			c.answers("Stop after the function has run", p.stop(), false)
			c.pass(c.turn())
			p.onTime(1, "after a late Stop")
		}
	})
}

// inBatch makes the first of many functions of equal time stop some of the others.
func (c stopping) inBatch() {
	c.bubble(func() {
		s := c.make(c.serial())
		const d = time.Minute
		others := make(chan []*probe, 1)
		first := c.armThen(s, d, func(*probe) {
			for i, p := range <-others {
				if i%2 == 0 {
					c.answers("Stop of a function of the same time", p.stop(), true)
				}
			}
		})
		probes := c.armMany(s, d, 20)
		others <- probes
		c.pass(d)
		first.onTime(1, "the first of the batch")
		for i, p := range probes {
			p.hasRun(i%2, "in a batch of which every second is stopped")
		}
	})
}

// letsGo checks that functions due in a year, which were all stopped, are no longer in memory
// after an hour of a little work. A quarter may stay.
func (c stopping) letsGo() {
	c.bubble(func() {
		const n = 1000
		s := c.make(timer.Config{})
		var held []weak.Pointer[[64]int]
		for range n {
			held = append(held, c.armAndStop(s))
		}
		for range 60 {
			c.arm(s, time.Minute)
			c.pass(time.Minute)
		}
		runtime.GC()
		left := 0
		for _, w := range held {
			if w.Value() != nil {
				left++
			}
		}
		if left > n/4 {
			c.errorf("%d of %d stopped functions are still held", left, n)
		}
		synctest.Wait()
	})
}

func (c stopping) armAndStop(s timer.Scheduler) weak.Pointer[[64]int] {
	value := new([64]int)
	h := s.AfterFunc(year, func() { value[0]++ })
	c.answers("Stop of a function due in a year", h.Stop(), true)
	return weak.Make(value)
}
