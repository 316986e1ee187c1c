package timertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/punctual-go/punctual/timer"
)

const (
	day     = 24 * time.Hour
	year    = 365 * day
	century = 100 * year
)

// punctuality is the family of checks that functions begin when they are due,
// whatever the delay and wherever in a tick or turn they are armed.
type punctuality struct{ *trial }

func (punctuality) checks() []check {
	return []check{
		{"a function begins on time after a delay of any size", of(punctuality.anyDelay), nil},
		{"a function begins on time wherever in a tick it is armed", of(punctuality.anyPhase), nil},
		{"thousands of functions all begin on time, once", of(punctuality.manyDelays), nil},
		{
			"a function armed behind one that is due later begins on time",
			of(punctuality.earlierHead), nil,
		},
	}
}

// edges returns the delays at which timing wheels go wrong: around multiples of a tick, a turn and
// the turns of coarser levels, around 31 and 32 bits of ticks, and of everyday sizes up to a
// century.
func (f Facility) edges() []time.Duration {
	around := []time.Duration{
		0, f.Lateness, f.tick(), 2 * f.tick(),
		time.Millisecond, time.Second, time.Minute, time.Hour, day, 248 * day, year, century,
	}
	for _, level := range []int{f.slots(), 8, 20, 64, 256} {
		for span := f.tick(); span < century/time.Duration(level); {
			span *= time.Duration(level)
			around = append(around, span, 3*span)
		}
	}
	for _, ticks := range []time.Duration{1 << 31, 1 << 32} {
		if f.tick() < century/ticks {
			around = append(around, ticks*f.tick())
		}
	}
	var edges []time.Duration
	for _, d := range around {
		edges = append(edges, d-f.tick(), d-1, d, d+1, d+f.tick())
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	return slices.DeleteFunc(edges, func(d time.Duration) bool {
		return d < 0 || d > 2*century
	})
}

func (c punctuality) anyDelay() {
	for _, d := range c.edges() {
		c.bubble(func() {
			p := c.arm(c.make(timer.Config{}), d)
			c.pass(d)
			p.onTime(1, fmt.Sprintf("after %v", d))
		})
	}
}

// anyPhase arms the first function of a facility at ages around the edges of ticks and turns.
func (c punctuality) anyPhase() {
	tick, turn := c.tick(), c.turn()
	for _, age := range []time.Duration{
		1, tick / 3, tick - 1, tick, tick + 1, turn - 1, turn, turn + tick/2, 7*turn + tick - 1,
	} {
		for _, d := range []time.Duration{
			0, 1, tick / 2, tick - 1, tick, tick + 1,
			turn - tick, turn - 1, turn, turn + 1, turn + tick, 5*turn + 1,
		} {
			c.bubble(func() {
				s := c.make(timer.Config{})
				time.Sleep(age)
				p := c.arm(s, d)
				c.pass(d)
				p.onTime(1, fmt.Sprintf("armed at the age of %v, after %v", age, d))
			})
		}
	}
}

// manyDelays arms functions with delays of all magnitudes while others are due.
func (c punctuality) manyDelays() {
	c.bubble(func() {
		const n = 4000
		s, random := c.make(timer.Config{}), rand.New(rand.NewPCG(1, n))
		probes := make([]*probe, n)
		for i := range probes {
			probes[i] = c.arm(s, magnitude(random, 100*day))
			if i%4 == 0 {
				time.Sleep(magnitude(random, 2*c.turn()))
			}
		}
		c.pass(100 * day)
		for i, p := range probes {
			p.onTime(1, fmt.Sprintf("function %d of %d", i, n))
		}
	})
}

// magnitude returns a random duration up to most, such that all numbers of digits are equally
// likely.
func magnitude(random *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(math.Exp(random.Float64()*math.Log(float64(most)))) - 1
}

// earlierHead arms each function before those that are armed already.
func (c punctuality) earlierHead() {
	c.bubble(func() {
		s := c.make(timer.Config{})
		var probes []*probe
		for d := 400 * day; d > 0; d = d * 2 / 3 {
			probes = append(probes, c.arm(s, d))
			time.Sleep(d / 1000)
		}
		c.pass(401 * day)
		for i, p := range probes {
			p.onTime(1, fmt.Sprintf("function %d", i))
		}
	})
}
