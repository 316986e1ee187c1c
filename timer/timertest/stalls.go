package timertest

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// stalls is the family of checks of a facility that a function keeps waiting for long.
type stalls struct{ *trial }

func (stalls) checks() []check {
	return []check{
		{
			"after a stall everything overdue begins, and nothing else",
			of(stalls.overdue), []need{serial()},
		},
		{
			"after a stall overdue functions begin in order of time",
			of(stalls.order), []need{serial(), ordered()},
		},
		{"what is stopped or reset during a stall stays so", of(stalls.changes), []need{serial()}},
	}
}

// lengths are what a facility is kept waiting for: parts of a tick up to many turns.
func (c stalls) lengths() []time.Duration {
	return []time.Duration{
		1, c.tick() - 1, c.tick(), 3*c.tick() + 1,
		c.turn() - 1, c.turn(), c.turn() + 1, 5*c.turn() + c.tick()/2, day, year + 1,
	}
}

// overdue keeps the facility waiting in its first function, with others due before and after that
// ends.
func (c stalls) overdue() {
	for _, length := range c.lengths() {
		c.bubble(func() {
			const start = time.Minute
			s := c.make(c.serial())
			c.armThen(s, start, func(*probe) { time.Sleep(length) })
			var due, later []*probe
			random := rand.New(rand.NewPCG(4, uint64(length)))
			for range 100 {
				due = append(due, c.arm(s, start+1+magnitude(random, length)))
				after := start + length + c.Lateness + 1 + magnitude(random, 4*length)
				later = append(later, c.arm(s, after))
			}
			end := start + c.Lateness + length
			time.Sleep(end)
			what := fmt.Sprintf("after a stall of %v", length)
			c.pass(0)
			for _, p := range due {
				p.notLaterThan(1, end, what)
			}
			c.pass(5*length + c.Lateness)
			for _, p := range later {
				p.onTime(1, "not overdue "+what)
			}
		})
	}
}

// order arms some functions while the facility is kept waiting, some of these without a delay.
func (c stalls) order() {
	for _, length := range c.lengths() {
		c.bubble(func() {
			s, order := c.make(c.serial()), &parade{c: c.trial}
			random := rand.New(rand.NewPCG(5, uint64(length)))
			c.armThen(s, 1, func(*probe) { time.Sleep(length) })
			for i := range 100 {
				order.arm(s, 2+magnitude(random, length), i)
			}
			time.Sleep(c.Lateness + 2)
			n := 100
			for left := length; left > 100; left -= left / 3 {
				order.arm(s, left/5, n)
				order.arm(s, 0, n+1)
				n += 2
				time.Sleep(left / 3)
			}
			c.pass(2 * length)
			order.inOrder(n, fmt.Sprintf("after a stall of %v", length))
		})
	}
}

func (c stalls) changes() {
	c.bubble(func() {
		s := c.make(c.serial())
		c.armThen(s, time.Second, func(*probe) { time.Sleep(time.Hour) })
		stopped, moved, late := c.arm(s, time.Minute), c.arm(s, time.Minute), c.arm(s, time.Minute)
		time.Sleep(10 * time.Minute)
		c.answers("Stop of an overdue function", stopped.stop(), true)
		c.answers("Reset of an overdue function", moved.reset(5*time.Hour), true)
		c.pass(2 * time.Hour)
		stopped.hasRun(0, "stopped while overdue")
		moved.hasRun(0, "reset while overdue, not due again")
		late.hasRun(1, "overdue")
		c.pass(3 * time.Hour)
		moved.onTime(1, "reset while overdue")
	})
}
