package simulate

import (
	"errors"
	"testing"
	"time"

	"github.com/punctual-go/punctual/timer"
	"github.com/punctual-go/punctual/timer/hashedwheel"
	"github.com/punctual-go/punctual/timer/hierarchical"
	"github.com/punctual-go/punctual/timer/revolver"
)

// wheel is what all wheels have.
type wheel interface {
	timer.Scheduler
	Armed() int
	Close() []timer.Handle
}

func simulateHashed(t *testing.T, seed uint64, ops int) Report {
	return simulateWheel(t, seed, ops, func(c timer.Config) wheel { return hashedwheel.New(c) })
}

func simulateHierarchical(t *testing.T, seed uint64, ops int) Report {
	return simulateWheel(t, seed, ops, func(c timer.Config) wheel { return hierarchical.New(c) })
}

func simulateRevolver(t *testing.T, seed uint64, ops int) Report {
	return simulateWheel(t, seed, ops, func(c timer.Config) wheel { return revolver.New(c) })
}

func simulateWheel(t *testing.T, seed uint64, ops int, open func(timer.Config) wheel) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		ts := newTimerSim(sim)
		c := timer.Config{
			Tick:  grid * time.Duration(1+ts.rng.IntN(5)),
			Slots: 2 << ts.rng.IntN(4), // so that there are many turns, and levels
		}
		ts.tick = c.Tick
		if ts.oneIn(8) {
			ts.pendingLimit = 1 + ts.rng.IntN(20)
			c.PendingLimit = ts.pendingLimit
		}
		c.OnPanic = func(any, []byte) { ts.endReported() }
		c.Executor = ts.drawExecutor()
		ts.open = func(inst *instance) timer.Scheduler {
			wheel := open(c)
			inst.pending = wheel.Armed
			inst.stop = func(*instance) []timer.Handle { return ts.stopWheel(wheel) }
			return wheel
		}
		ts.drive()
	})
}

// endReported notes that the facility has reported a panic or Goexit.
func (ts *timerSim) endReported() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.endsReported++
}

var errFull = errors.New("full")

// drawExecutor draws the executor of the functions: a goroutine for each, the wheel itself, or one
// that refuses some.
func (ts *timerSim) drawExecutor() timer.Executor {
	switch ts.rng.IntN(6) {
	case 0, 1:
		ts.inline, ts.size = true, 1
		return func(f func()) error { f(); return nil }
	case 2:
		ts.executorRejects = true
		return func(f func()) error {
			ts.mu.Lock()
			defer ts.mu.Unlock()
			if ts.executorCalls++; mix(uint64(ts.executorCalls)^ts.seed<<20)%16 == 0 {
				ts.executorRefusals++
				return errFull
			}
			go f()
			return nil
		}
	default:
		return nil
	}
}

// stopWheel stops a wheel in one of its ways. A revolver may run, ahead of its time, what it would
// hand back.
func (ts *timerSim) stopWheel(w wheel) []timer.Handle {
	r, ok := w.(*revolver.Wheel)
	if !ok || ts.oneIn(2) {
		return w.Close()
	}
	of := map[timer.Handle]*timerFunc{}
	for _, f := range ts.funcs {
		if f.hasHandle() && f.handle != nil {
			of[f.handle] = f
		}
	}
	return r.CloseFunc(func(h timer.Handle) bool {
		f := of[h]
		if f == nil || f.id%2 == 0 {
			return false
		}
		ts.mu.Lock()
		defer ts.mu.Unlock()
		f.mayRunEarly = true
		return true
	})
}
