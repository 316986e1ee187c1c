package timertest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

func limits() []check {
	needs := []need{limited()}
	return []check{
		{"beyond the limit functions are refused", limitReached, needs},
		{"Stop makes room", limitStop, needs},
		{"a function that has begun makes room", limitRun, needs},
		{"a Reset needs room only if the function was not armed", limitReset, needs},
		{
			"a function in the Executor keeps its place, a refused one does not",
			limitHandOff, []need{limited(), executing()},
		},
		{"the limit is exact after much traffic", limitTraffic, needs},
		{"the limit holds against many goroutines", limitRace, needs},
	}
}

// fill arms n functions due in d, which must be accepted, and then some more, which must not.
func (c *trial) fill(s timer.Scheduler, n int, d time.Duration, when string) []*probe {
	probes := c.accepted(s, n, d, when)
	c.full(s, when)
	return probes
}

// accepted arms n functions due in d, which must be accepted.
func (c *trial) accepted(s timer.Scheduler, n int, d time.Duration, when string) []*probe {
	var probes []*probe
	for i := range n {
		p := c.arm(s, d)
		if err := p.err(); err != nil {
			c.errorf("%s: function %d of %d is refused: %v", when, i+1, n, err)
		}
		probes = append(probes, p)
	}
	return probes
}

// full demands that the facility refuses what is armed now.
func (c *trial) full(s timer.Scheduler, when string) {
	for _, d := range []time.Duration{0, time.Second, math.MaxInt64} {
		what := fmt.Sprintf("%s: armed with %v beyond the limit", when, d)
		c.refused(c.arm(s, d), what, timer.ErrSaturated)
	}
}

func limitReached(c *trial) {
	for _, limit := range []int{1, 2, 10, 1000} {
		c.bubble(func() {
			s := c.make(timer.Config{PendingLimit: limit})
			probes := c.fill(s, limit, time.Hour, "at first")
			beyond := c.arm(s, time.Second)
			c.pass(time.Hour)
			beyond.hasRun(0, "beyond the limit")
			c.refused(beyond, "an hour later", timer.ErrSaturated)
			for _, p := range probes {
				p.onTime(1, "within the limit")
			}
			c.fill(s, limit, math.MaxInt64, "after all have run")
		})
	}
}

func limitStop(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{PendingLimit: 3})
		probes := c.fill(s, 3, time.Hour, "at first")
		for i := range 2 {
			c.answers("Stop", probes[i].stop(), true)
			c.answers("a second Stop", probes[i].stop(), false)
		}
		c.fill(s, 2, time.Hour, "after two were stopped")
	})
}

func limitRun(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{PendingLimit: 1})
		first := c.armThen(s, time.Second, func(p *probe) {
			if p.runs() > 1 {
				return
			}
			c.answers("Reset from the function itself", p.reset(time.Minute), false)
			if err := p.err(); err != nil {
				c.errorf("a function that has begun has no room for itself: %v", err)
			}
			c.full(s, "in a function that has armed itself again")
			time.Sleep(time.Hour)
		})
		c.pass(time.Minute + time.Hour + c.Lateness + time.Second)
		first.hasRun(2, "arming itself within a limit of one")
		c.fill(s, 1, time.Second, "after one that armed itself")
	})
}

func limitReset(c *trial) {
	c.bubble(func() {
		s := c.make(timer.Config{PendingLimit: 2})
		run := c.arm(s, 1)
		c.pass(1)
		armed := c.fill(s, 2, time.Hour, "after one has run")
		c.answers("Reset of an armed function in a full facility",
			armed[0].reset(time.Minute), true)
		c.full(s, "after a Reset")
		c.answers("Reset in a full facility of a function that has run",
			run.reset(time.Second), false)
		c.refused(run, "reset in a full facility", timer.ErrSaturated)
		c.pass(time.Second)
		run.hasRun(1, "reset in a full facility")

		c.answers("Stop", armed[1].stop(), true)
		c.answers("Reset of a refused function", run.reset(time.Second), false)
		if err := run.err(); err != nil {
			c.errorf("Err of a function that is armed after it was refused is %v, want nil", err)
		}
		c.full(s, "after the Reset of a refused function")
		c.pass(time.Minute)
		run.onTime(2, "reset when there was room")
		armed[0].onTime(1, "reset in a full facility")
		c.fill(s, 2, time.Hour, "after all have run")
	})
}

func limitHandOff(c *trial) {
	c.bubble(func() {
		var held shelf
		var door doorman
		s := c.make(timer.Config{PendingLimit: 2, Executor: held.execute})
		probes := c.fill(s, 2, time.Second, "at first")
		c.pass(time.Second)
		c.full(s, "with two in the Executor")
		c.answers("Stop of a function that waits in the Executor", probes[0].stop(), true)
		c.fill(s, 1, time.Hour, "with one of two stopped in the Executor")
		held.clear()
		c.fill(s, 1, time.Hour, "after the Executor has called the other")

		s = c.make(timer.Config{PendingLimit: 2, Executor: door.execute})
		door.close(errors.New("no room"))
		c.fill(s, 2, time.Second, "at first")
		c.pass(time.Second)
		c.fill(s, 2, time.Second, "after the Executor has refused two")
	})
}

// limitTraffic arms, stops and resets functions at random, and then checks how much room is left.
func limitTraffic(c *trial) {
	c.bubble(func() {
		const limit = 20
		s, random := c.make(timer.Config{PendingLimit: limit}), rand.New(rand.NewPCG(6, 6))
		var probes []*probe
		for range 3000 {
			switch p := random.IntN(6); {
			case p < 3 || len(probes) == 0:
				probes = append(probes, c.arm(s, magnitude(random, time.Hour)))
			case p == 3:
				probes[random.IntN(len(probes))].stop()
			case p == 4:
				probes[random.IntN(len(probes))].reset(magnitude(random, time.Hour))
			default:
				time.Sleep(magnitude(random, time.Minute))
			}
		}
		c.pass(time.Hour)
		c.fill(s, limit, time.Hour, "after much traffic")
	})
}

// limitRace makes goroutines arm and stop at the same time. Each counts a function only while it is
// certainly armed, so that the sum never exceeds what is pending in the facility.
func limitRace(c *trial) {
	c.bubble(func() {
		const limit, goroutines, rounds = 3, 8, 2000
		s := c.make(timer.Config{PendingLimit: limit})
		var pending atomic.Int64
		var all sync.WaitGroup
		for range goroutines {
			all.Go(func() {
				for range rounds {
					p := c.arm(s, time.Hour)
					if p.err() != nil {
						continue
					}
					if n := pending.Add(1); n > limit {
						c.errorf("%d functions are armed at once, the limit is %d", n, limit)
					}
					runtime.Gosched()
					pending.Add(-1)
					c.answers("Stop of an armed function", p.stop(), true)
				}
			})
		}
		all.Wait()
		c.fill(s, limit, time.Hour, "after a race")
	})
}
