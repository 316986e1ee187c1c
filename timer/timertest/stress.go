package timertest

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// stresses is the family of checks in real time, with the true scheduler of goroutines and much
// traffic.
type stresses struct{ *trial }

func (stresses) checks() []check {
	return []check{
		{"in real time each arming has one end", of(stresses.calls), nil},
		{
			"in real time a facility stopped while others arm loses nothing",
			of(stresses.end), []need{stoppable()},
		},
	}
}

// tally is one function in real time, with counts of its armings and their ends. Every arming ends
// by a run, by a Stop or Reset that returns true, or with the facility.
type tally struct {
	h       timer.Handle
	armings atomic.Int64
	taken   atomic.Int64 // by Stop or Reset
	runs    atomic.Int64

	early       atomic.Bool
	armedBefore bool // AfterFunc had returned before the facility was stopped
}

// owed returns how many armings have no end yet.
func (k *tally) owed() int64 { return k.armings.Load() - k.taken.Load() - k.runs.Load() }

// armTally arms a function that checks whether it is early. The check holds only until it is reset.
func armTally(s timer.Scheduler, d time.Duration) *tally {
	k := &tally{}
	k.armings.Add(1)
	begin := time.Now()
	k.h = s.AfterFunc(d, func() {
		if time.Since(begin) < d {
			k.early.Store(true)
		}
		k.runs.Add(1)
	})
	return k
}

func (k *tally) stop() {
	if k.h.Stop() {
		k.taken.Add(1)
	}
}

func (k *tally) reset(d time.Duration) {
	k.armings.Add(1)
	if k.h.Reset(d) {
		k.taken.Add(1)
	}
}

// calls makes goroutines arm functions, and stop and reset shared ones.
func (c stresses) calls() {
	for range 3 {
		c.realTime(func() { c.callsOnce() })
	}
}

func (c stresses) callsOnce() {
	const goroutines, calls = 8, 4000
	s := c.make(timer.Config{})
	shared := make([]*tally, 64)
	for i := range shared {
		shared[i] = armTally(s, 0)
	}
	var own [goroutines][]*tally
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for range calls {
				d := time.Duration(rand.IntN(4)) * time.Duration(rand.IntN(int(time.Millisecond)))
				k := shared[rand.IntN(len(shared))]
				switch rand.IntN(5) {
				case 0:
					k.stop()
				case 1, 2:
					k.reset(d)
				default:
					own[g] = append(own[g], armTally(s, d))
				}
			}
		})
	}
	all.Wait()
	for _, tallies := range append(own[:], shared) {
		c.settle(tallies, func(k *tally) bool { return k.owed() == 0 })
	}
	for _, tallies := range own {
		for _, k := range tallies {
			if k.early.Load() {
				c.errorf("a function has begun early")
			}
		}
	}
}

// settle waits until every arming has its end, or over says that the function has, and demands that
// no arming has two.
func (c stresses) settle(tallies []*tally, over func(k *tally) bool) {
	end := time.Now().Add(c.patience)
	for _, k := range tallies {
		for !over(k) && k.owed() > 0 && !c.failed() {
			if time.Now().After(end) {
				c.errorf("a function has not begun and nobody has stopped it: "+
					"%d armings, %d taken back, %d runs, Err %v",
					k.armings.Load(), k.taken.Load(), k.runs.Load(), timer.Err(k.h))
			}
			time.Sleep(100 * time.Microsecond)
		}
		if k.owed() < 0 {
			c.errorf("of %d armings %d were taken back and %d have run",
				k.armings.Load(), k.taken.Load(), k.runs.Load())
		}
	}
}

func (c stresses) end() {
	for range 10 {
		c.realTime(func() { c.endOnce() })
		if c.failed() {
			return
		}
	}
}

// endOnce stops a facility while goroutines arm functions, and stop some of them.
func (c stresses) endOnce() {
	const goroutines, each = 8, 2000
	s := c.make(timer.Config{})
	var armed [goroutines][]*tally
	var all sync.WaitGroup
	var stopping atomic.Bool
	var count atomic.Int64
	for g := range goroutines {
		all.Go(func() {
			for range each {
				k := armTally(s, time.Duration(rand.IntN(int(5*time.Millisecond))))
				k.armedBefore = !stopping.Load()
				armed[g] = append(armed[g], k)
				count.Add(1)
				if rand.IntN(4) == 0 {
					k.stop()
				}
			}
		})
	}
	for point := rand.Int64N(goroutines * each); count.Load() < point; {
		time.Sleep(10 * time.Microsecond)
	}
	stopping.Store(true)
	returned := map[timer.Handle]bool{}
	for _, h := range c.Stop(s) {
		if returned[h] {
			c.errorf("the facility returns a handle twice")
		}
		returned[h] = true
	}
	all.Wait()
	for _, tallies := range armed {
		c.settle(tallies, func(k *tally) bool { return timer.Err(k.h) != nil })
		for _, k := range tallies {
			c.oneEnd(k, returned)
		}
	}
	if len(returned) > 0 {
		c.errorf("the facility returns %d handles that nobody has armed", len(returned))
	}
}

// oneEnd demands that exactly one thing has become of a function: it has run, was stopped by its
// owner, was returned, or was refused. It strikes the function off returned.
func (c stresses) oneEnd(k *tally, returned map[timer.Handle]bool) {
	wasReturned, err := returned[k.h], timer.Err(k.h)
	delete(returned, k.h)
	ends := k.runs.Load() + k.taken.Load()
	switch {
	case err == nil && (ends != 1 || wasReturned):
		c.errorf("a function has begun %d times and was stopped %d times, "+
			"returned is %t, and Err is nil",
			k.runs.Load(), k.taken.Load(), wasReturned)
	case err != nil && ends != 0:
		c.errorf("a function has begun %d times and was stopped %d times, and Err is %v",
			k.runs.Load(), k.taken.Load(), err)
	case err != nil && !errors.Is(err, timer.ErrClosed):
		c.errorf("Err after the end of the facility is %v, want ErrClosed", err)
	case err != nil && c.Returns && k.armedBefore && !wasReturned:
		c.errorf("a function armed before the end of the facility " +
			"was not returned, and has not begun")
	case k.early.Load():
		c.errorf("a function has begun early")
	}
}
