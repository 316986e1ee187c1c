package simulate

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
)

// What follows opens the package to its tests.

// SimulateOn simulates a wheel, which open may replace by a faulty one.
func SimulateOn(t *testing.T, seed uint64, ops int,
	open func(timer.Scheduler) timer.Scheduler) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		ts := newTimerSim(sim)
		ts.tick = grid
		ts.open = func(inst *instance) timer.Scheduler {
			wheel := hashedwheel.New(timer.Config{Tick: ts.tick,
				OnPanic: func(any, []byte) { ts.endReported() }})
			inst.pending = wheel.Armed
			inst.stop = func(*instance) []timer.Handle { return wheel.Close() }
			return open(wheel)
		}
		ts.drive()
	})
}

// RunDriver runs a simulation in which nothing is done but what drive does.
func RunDriver(t *testing.T, drive func()) Report {
	return simulate(t, 1, 1, func(*simulation) { drive() })
}

// Starts returns when the runs of a series begin that has a worker of its own: with this rule,
// first, and period, run n takes takes[n].
func Starts(name string, first, period time.Duration,
	takes []time.Duration) (starts []time.Duration, missed []uint64) {
	c := seriesModel{first: first, period: period, due: first}
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

// Overtaken reports whether the second of two that begin one after the other has been overtaken, if
// both came at the given times and left one instant later than both.
func Overtaken(due1, due2 time.Duration, came1, came2 int64) bool {
	var o orderOracle
	o.overtaken(startRecord{due: due1, queuedFrom: came1, queuedInstant: came1, leftFrom: 100,
		startedAt: 1}, came1, true, false)
	_, bad := o.overtaken(startRecord{due: due2, queuedFrom: came2, queuedInstant: came2,
		leftFrom: 100, startedAt: 2}, came2, true, false)
	return bad
}
