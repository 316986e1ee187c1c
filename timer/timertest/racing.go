package timertest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// racing is the family of checks in which goroutines call the facility at one time.
//
// Virtual time stands still while goroutines run. So all that they do at one time races, and a
// function that is late because of a lost wake-up is late by far.
type racing struct{ *trial }

func (racing) checks() []check {
	return []check{
		{"functions armed by many goroutines at once begin on time", of(racing.armTogether), nil},
		{"Stop at the very time of a function is believed", of(racing.stopAtTime), nil},
		{"Reset at the very time of a function is believed", of(racing.resetAtTime), nil},
		{
			"functions due when the facility is stopped have one end",
			of(racing.endAtTime), []need{stoppable()},
		},
	}
}

// raceRounds is how often each race is run, every time in a new bubble.
const raceRounds = 200

// armTogether makes goroutines arm, stop and reset functions of their own at times on one grid, so
// that they meet there. Each knows exactly what must become of its functions.
func (c racing) armTogether() {
	for round := range uint64(raceRounds) {
		c.bubble(func() {
			s := c.make(timer.Config{})
			var all sync.WaitGroup
			for g := range uint64(8) {
				all.Go(func() { c.armOnGrid(s, rand.New(rand.NewPCG(round, g))) })
			}
			all.Wait()
		})
		if c.failed() {
			return
		}
	}
}

func (c racing) armOnGrid(s timer.Scheduler, random *rand.Rand) {
	grid := c.Lateness + c.tick()
	times := func(from, to int) time.Duration {
		return time.Duration(from+random.IntN(to-from+1)) * grid
	}
	for range 12 {
		p := c.arm(s, times(3, 6))
		time.Sleep(times(1, 2))
		want := 1
		switch random.IntN(4) {
		case 0:
			c.answers("Stop of an armed function", p.stop(), true)
			want = 0
		case 1, 2:
			c.answers("Reset of an armed function", p.reset(times(1, 4)), true)
		}
		time.Sleep(6*grid + c.Lateness + 1)
		p.onTime(want, "armed beside other goroutines")
	}
}

// atTime calls f on four goroutines after d, or a little later, within the allowed lateness, and
// returns how often f was true.
func (c racing) atTime(d time.Duration, round int, f func() bool) int {
	var won atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			time.Sleep(d + time.Duration(round%5)*(c.Lateness/4))
			if f() {
				won.Add(1)
			}
		})
	}
	all.Wait()
	return int(won.Load())
}

// stopAtTime makes Stop race with the function. One of them must win.
func (c racing) stopAtTime() {
	for round := range raceRounds {
		c.bubble(func() {
			d := c.tick() * time.Duration(1+round%3)
			p := c.arm(c.make(timer.Config{}), d)
			won := c.atTime(d, round, p.stop)
			c.pass(d)
			if runs := p.runs(); runs+won != 1 {
				c.errorf("a function stopped when it was due has begun %d times, "+
					"and %d times Stop was true", runs, won)
			}
		})
	}
}

// resetAtTime makes Reset race with the function. Each arming must run or be taken back by a later
// one.
func (c racing) resetAtTime() {
	for round := range raceRounds {
		c.bubble(func() {
			d := c.tick() * time.Duration(1+round%3)
			p := c.arm(c.make(timer.Config{}), d)
			won := c.atTime(d, round, func() bool { return p.handle().Reset(d) })
			c.pass(2 * d)
			if runs := p.runs(); runs+won != 5 {
				c.errorf("a function armed once and reset four times when it was due "+
					"has begun %d times, and %d times Reset was true", runs, won)
			}
		})
	}
}

// endAtTime stops the facility just when its functions are due.
func (c racing) endAtTime() {
	for round := range raceRounds {
		c.bubble(func() {
			s, d := c.make(timer.Config{}), c.tick()*time.Duration(1+round%3)
			probes := c.armMany(s, d, 40)
			returned := map[timer.Handle]bool{}
			var mu sync.Mutex
			c.atTime(d, round, func() bool {
				handles := c.Stop(s)
				mu.Lock()
				defer mu.Unlock()
				for _, h := range handles {
					returned[h] = true
				}
				return false
			})
			c.pass(2 * d)
			for _, p := range probes {
				what := fmt.Sprintf("due when the facility is stopped, and returned is %t",
					returned[p.handle()])
				if p.err() == nil {
					p.hasRun(1, what)
					continue
				}
				p.hasRun(0, what)
				p.refused(what, timer.ErrClosed)
				if c.Returns && !returned[p.handle()] {
					c.errorf("a function stopped with the facility has not been returned")
				}
			}
		})
		if c.failed() {
			return
		}
	}
}
