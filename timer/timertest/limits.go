package timertest

import (
	"errors"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// limits is the family of checks of Config.PendingLimit.
type limits struct{ *trial }

func (limits) checks() []check {
	needs := []need{limited()}
	return []check{
		{"beyond the limit functions are refused", of(limits.reached), needs},
		{"Stop makes room", of(limits.stopMakesRoom), needs},
		{"a function that has begun makes room", of(limits.runMakesRoom), needs},
		{"a Reset needs room only if the function was not armed", of(limits.resetNeedsRoom), needs},
		{
			"a function in the Executor keeps its place, a refused one does not",
			of(limits.inExecutor), []need{limited(), executing()},
		},
		{"the limit is exact after much traffic", of(limits.traffic), needs},
		{"the limit holds against many goroutines", of(limits.race), needs},
	}
}

func (c limits) reached() {
	for _, limit := range []int{1, 2, 10, 1000} {
		c.bubble(func() {
			s := c.room(timer.Config{PendingLimit: limit})
			probes := s.fill(limit, time.Hour, "at first")
			beyond := c.arm(s, time.Second)
			c.pass(time.Hour)
			beyond.hasRun(0, "beyond the limit")
			beyond.refused("an hour later", timer.ErrSaturated)
			for _, p := range probes {
				p.onTime(1, "within the limit")
			}
			s.fill(limit, math.MaxInt64, "after all have run")
		})
	}
}

func (c limits) stopMakesRoom() {
	c.bubble(func() {
		s := c.room(timer.Config{PendingLimit: 3})
		probes := s.fill(3, time.Hour, "at first")
		for i := range 2 {
			c.answers("Stop", probes[i].stop(), true)
			c.answers("a second Stop", probes[i].stop(), false)
		}
		s.fill(2, time.Hour, "after two were stopped")
	})
}

func (c limits) runMakesRoom() {
	c.bubble(func() {
		s := c.room(timer.Config{PendingLimit: 1})
		first := c.armThen(s, time.Second, func(p *probe) {
			if p.runs() > 1 {
				return
			}
			c.answers("Reset from the function itself", p.reset(time.Minute), false)
			if err := p.err(); err != nil {
				c.errorf("a function that has begun has no room for itself: %v", err)
			}
			s.full("in a function that has armed itself again")
			time.Sleep(time.Hour)
		})
		c.pass(time.Minute + time.Hour + c.Lateness + time.Second)
		first.hasRun(2, "arming itself within a limit of one")
		s.fill(1, time.Second, "after one that armed itself")
	})
}

func (c limits) resetNeedsRoom() {
	c.bubble(func() {
		s := c.room(timer.Config{PendingLimit: 2})
		run := c.arm(s, 1)
		c.pass(1)
		armed := s.fill(2, time.Hour, "after one has run")
		c.answers("Reset of an armed function in a full facility",
			armed[0].reset(time.Minute), true)
		s.full("after a Reset")
		c.answers("Reset in a full facility of a function that has run",
			run.reset(time.Second), false)
		run.refused("reset in a full facility", timer.ErrSaturated)
		c.pass(time.Second)
		run.hasRun(1, "reset in a full facility")

		c.answers("Stop", armed[1].stop(), true)
		c.answers("Reset of a refused function", run.reset(time.Second), false)
		if err := run.err(); err != nil {
			c.errorf("Err of a function that is armed after it was refused is %v, want nil", err)
		}
		s.full("after the Reset of a refused function")
		c.pass(time.Minute)
		run.onTime(2, "reset when there was room")
		armed[0].onTime(1, "reset in a full facility")
		s.fill(2, time.Hour, "after all have run")
	})
}

func (c limits) inExecutor() {
	c.bubble(func() {
		var held shelf
		var door doorman
		s := c.room(timer.Config{PendingLimit: 2, Executor: held.execute})
		probes := s.fill(2, time.Second, "at first")
		c.pass(time.Second)
		s.full("with two in the Executor")
		c.answers("Stop of a function that waits in the Executor", probes[0].stop(), true)
		s.fill(1, time.Hour, "with one of two stopped in the Executor")
		held.clear()
		s.fill(1, time.Hour, "after the Executor has called the other")

		s = c.room(timer.Config{PendingLimit: 2, Executor: door.execute})
		door.close(errors.New("no room"))
		s.fill(2, time.Second, "at first")
		c.pass(time.Second)
		s.fill(2, time.Second, "after the Executor has refused two")
	})
}

// traffic arms, stops and resets functions at random, and then checks how much room is left.
func (c limits) traffic() {
	c.bubble(func() {
		const limit = 20
		s, random := c.room(timer.Config{PendingLimit: limit}), rand.New(rand.NewPCG(6, 6))
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
		s.fill(limit, time.Hour, "after much traffic")
	})
}

// race makes goroutines arm and stop at the same time. Each counts a function only while it is
// certainly armed, so that the sum never exceeds what is pending in the facility.
func (c limits) race() {
	c.bubble(func() {
		const limit, goroutines, rounds = 3, 8, 2000
		s := c.room(timer.Config{PendingLimit: limit})
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
		s.fill(limit, time.Hour, "after a race")
	})
}
