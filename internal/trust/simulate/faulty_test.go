package simulate

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// What follows opens the insides to the tests.

// PlayOn plays the world of a wheel, of which open may make something else.
func PlayOn(t *testing.T, seed uint64, ops int, open func(timer.Scheduler) timer.Scheduler) Report {
	return play(t, seed, ops, func(w *world) {
		m := newMill(w)
		m.tick = grid
		m.open = func(e *era) timer.Scheduler {
			wheel := hashedwheel.New(timer.Config{Tick: m.tick, OnPanic: func(any, []byte) { m.tell() }})
			e.pending = wheel.Pending
			e.cease = func(*era) []timer.Handle { return wheel.Stop() }
			return open(wheel)
		}
		m.drive()
	})
}

// Live plays a world in which nothing is done but what drive does.
func Live(t *testing.T, drive func()) Report {
	return play(t, 1, 1, func(*world) { drive() })
}

// Starts returns when the runs of a series begin that has a worker of its own: with this rule, first, and period, run n
// takes takes[n].
func Starts(name string, first, period time.Duration, takes []time.Duration) (starts []time.Duration, missed []uint64) {
	c := calendar{first: first, period: period, due: first}
	for c.rule = once; c.rule.String() != name; c.rule++ {
	}
	now := time.Duration(0)
	for _, d := range takes {
		now = max(now, c.due)
		_, n := c.begin(now)
		starts, missed = append(starts, now), append(missed, n)
		now += d
		c.end(now)
	}
	return starts, missed
}

// Overtaken reports whether the second of two that begin one after the other has been overtaken, if both came at the
// given times and left one instant later than both.
func Overtaken(due1, due2 time.Duration, came1, came2 int64) bool {
	var o order
	o.overtaken(start{due: due1, from: came1, then: came1, left: 100, at: 1}, came1, true, false)
	_, bad := o.overtaken(start{due: due2, from: came2, then: came2, left: 100, at: 2}, came2, true, false)
	return bad
}
