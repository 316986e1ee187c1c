package simulate

import (
	"time"
)

// drive is the driver of a timer simulation. It arms, stops and re-arms functions, and lets time
// pass in between; in the end it stops the facility.
func (ts *timerSim) drive() {
	time.Sleep(ts.steps(8)) // so that ticks and grid do not begin together
	ts.openInstance()
	for ts.more() {
		time.Sleep(ts.steps(ts.maxPause))
		for range 1 + ts.rng.IntN(6) {
			ts.step()
		}
		if ts.oneIn(3) {
			ts.quiesce()
		}
		if ts.hasEnded() { // a function has killed it
			ts.audit()
			ts.openInstance()
		}
	}
	ts.quiesce()
	ts.close()
	time.Sleep(time.Minute)
	ts.audit()
}

func (ts *timerSim) hasEnded() bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return ts.inst.ended
}

func (ts *timerSim) step() {
	switch n := ts.rng.IntN(20); {
	case n < 8:
		ts.arm(ts.drawFunc())
	case n < 9:
		later(ts.simulation, ts.arm, ts.drawFunc())
	case n < 13:
		if ts.oneIn(3) {
			later(ts.simulation, ts.stop, latest(ts.simulation, ts.funcs))
		} else if f := latest(ts.simulation, ts.funcs); f != nil {
			ts.stop(f)
		}
	case n < 17:
		d := ts.steps(24)
		if ts.oneIn(3) {
			later(ts.simulation, func(f *timerFunc) { ts.reset(f, d) },
				latest(ts.simulation, ts.funcs))
		} else if f := latest(ts.simulation, ts.funcs); f != nil {
			ts.reset(f, d)
		}
	case n < 19:
		ts.startRepeating(ts.drawFunc())
	default:
		if ts.inst.timer != nil {
			ts.inst.timer.Purge()
			ts.countOps(1)
		}
	}
}

// drawFunc makes a function; all that is random about it is decided here. It returns nil if there
// are enough.
func (ts *timerSim) drawFunc() *timerFunc {
	f := ts.newFunc()
	if f == nil {
		return nil
	}
	f.delay = ts.steps(24)
	switch {
	case ts.oneIn(40):
		f.delay = never
	case ts.oneIn(20):
		f.delay *= 16
	case ts.oneIn(40):
		f.delay = -grid
	}
	if ts.oneIn(4) {
		f.takes = ts.steps(ts.maxWork)
	}
	if ts.oneIn(10) {
		f.lastRun, f.rearmAfter = 1+ts.rng.IntN(4), grid*time.Duration(1+ts.rng.IntN(6))
	}
	if ts.oneIn(16) && (!ts.classic || ts.functionsKill) {
		f.lastRun, f.ends = 1+ts.rng.IntN(3), panics+bodyEnd(ts.rng.IntN(2))
	}
	if ts.oneIn(16) {
		if f.child = ts.newFunc(); f.child != nil {
			f.child.delay = ts.steps(10)
		}
	}
	return f
}

func (ts *timerSim) newFunc() *timerFunc {
	n := len(ts.funcs)
	if n == len(ts.arena) {
		return nil
	}
	f := &ts.arena[n]
	f.sim, f.id = ts, n
	ts.funcs = append(ts.funcs, f)
	return f
}
