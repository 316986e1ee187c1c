package simulate

import (
	"fmt"
	"runtime"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// timerFunc is one function on a timer facility with its history: a function with a handle, which
// is armed, stopped and re-armed; a series of package timer; or a task of the classic timer. What
// is random about it is drawn when it is made; the lock of the simulation guards the rest.
type timerFunc struct {
	sim  *timerSim
	inst *instance
	id   int
	seriesModel

	handle timer.Handle
	series *timer.Series
	task   *timer.Task

	delay      time.Duration
	takes      time.Duration
	ends       bodyEnd
	lastRun    int           // run at which it ends so, or by stopping itself; 0 is never
	rearmAfter time.Duration // each run but the last arms it anew, if that is not 0
	child      *timerFunc

	deadline   time.Duration // the deadline of the present arming
	plannedAt  time.Duration // when it is to begin, if nothing is in its way
	dueBy      time.Duration // when it might have begun for certain
	queuedFrom int64         // stamps: when it was armed, at the earliest
	queuedBy   int64         // and at the latest
	changes    int           // calls in progress that change its deadline

	armings      int // accepted, or about to be
	runs         int
	endedArmings int // armings that were stopped, replaced, or returned
	// Runs of earlier armings that have been decided, and have not begun.
	staleRuns   int
	ambiguous   bool // two have changed its time at once: which of them was last?
	mayRunEarly bool // it may be run before its time, at the end
	inBody      bool
	registered  bool // whoever armed it has its handle
	stopped     bool // for good: a series or task
	ended       bool // a series or task has come to its end by itself
	endedAt     time.Duration
}

// periodic reports whether the function repeats.
func (f *timerFunc) periodic() bool { return f.rule != once }

// hasHandle reports whether the function is neither a series nor a task.
func (f *timerFunc) hasHandle() bool { return f.rule == once && f.task == nil }

// outstanding returns how many armings have not led to a run, nor been stopped. The lock is held.
func (f *timerFunc) outstanding() int { return f.armings - f.runs - f.endedArmings }

// body is what the facility calls.
func (f *timerFunc) body() {
	ts := f.sim
	final, child := ts.begin(f)
	ts.arm(child)
	switch {
	case final && f.ends == returns && f.periodic():
		ts.stop(f)
	case f.rearmAfter > 0 && !final && f.hasHandle():
		ts.reset(f, f.rearmAfter)
	}
	if f.takes > 0 {
		time.Sleep(f.takes)
	}
	if ts.end(f, final); !final {
		return
	}
	switch f.ends {
	case panics, fails:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
}

// String describes f for faults.
func (f *timerFunc) String() string {
	text := fmt.Sprintf("%d (takes %v", f.id, f.takes)
	if f.task != nil {
		text += ", a task"
	}
	if f.periodic() {
		text += fmt.Sprintf(", %v each %v", f.rule, f.period)
	}
	if f.lastRun > 0 {
		text += fmt.Sprintf(", %d times, then %v", f.lastRun, f.ends)
	}
	return text + fmt.Sprintf("; armed %d times, begun %d, stopped %d)",
		f.armings, f.runs, f.endedArmings)
}
