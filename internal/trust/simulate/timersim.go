package simulate

import (
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/timer"
)

// timerSim simulates a timer facility: a wheel, or the classic timer.
type timerSim struct {
	*simulation
	inst *instance                            // the present one
	open func(inst *instance) timer.Scheduler // makes a facility

	tick            time.Duration // the grain; 0 is none
	inline          bool          // it calls one function after the other
	pendingLimit    int           // of pending functions; 0 is none
	executorRejects bool          // its executor may refuse a function
	classic         bool          // it is java.util.Timer, which functions may kill
	functionsKill   bool          // and some do
	maxPause        int
	maxWork         int

	funcs     []*timerFunc
	arena     []timerFunc
	repeating []*timerFunc // those that repeat

	// The lock guards these.
	armed            int // armed functions that have not begun
	endsExpected     int // by a panic or Goexit, that the facility should have told of
	endsReported     int
	executorCalls    int // the executor has been, to call a function
	executorRefusals int // and has not
}

// instance is one facility in its lifetime. The classic timer may die in the middle of a
// simulation, which goes on with the next.
type instance struct {
	sched    timer.Scheduler
	openedAt time.Duration // its ticks count from then
	pending  func() int    // how many are armed; nil if the facility does not tell
	stop     func(inst *instance) []timer.Handle
	err      func() error // of the classic timer
	timer    *timer.Timer

	// The lock of the simulation guards these.
	ended     bool // it has been told to end, or is being told
	endedAt   time.Duration
	freeUntil time.Duration // see timeline, when it ended
}

// newTimerSim draws what is common to all timer simulations.
func newTimerSim(sim *simulation) *timerSim {
	ts := &timerSim{simulation: sim, arena: make([]timerFunc, sim.ops),
		maxPause: 2 + sim.rng.IntN(12), maxWork: 2 + sim.rng.IntN(8)}
	ts.size = 1 << 30 // each function has a goroutine of its own
	return ts
}

// openInstance makes the next facility.
func (ts *timerSim) openInstance() {
	inst := &instance{openedAt: ts.now()}
	inst.sched = ts.open(inst)
	ts.mu.Lock()
	ts.inst = inst
	ts.mu.Unlock()
}

// plannedStart returns when a function of the instance is to begin that is armed now.
func (ts *timerSim) plannedStart(inst *instance, now, d time.Duration) time.Duration {
	when := sum(now, d)
	if d <= 0 || when == never || ts.tick == 0 {
		return when
	}
	ticks := (when - inst.openedAt) / ts.tick
	for inst.openedAt+ticks*ts.tick < when {
		ticks++
	}
	return inst.openedAt + ticks*ts.tick
}

// begin notes that a function begins, and checks that it may. It reports whether this is its last
// run, and returns what it is to arm.
func (ts *timerSim) begin(f *timerFunc) (final bool, child *timerFunc) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	ts.report.Runs++
	f.runs++
	switch {
	case f.inBody && (f.periodic() || ts.inline):
		ts.faultLocked(&ts.report.Duplicate, "function %v overlaps with itself", f)
	case f.hasHandle() && f.outstanding() < 0, !f.hasHandle() && !f.periodic() && f.runs > 1:
		ts.faultLocked(&ts.report.Duplicate, "function %v begins once too often", f)
	case f.stopped && f.endedAt < ts.quietUntil, f.ended:
		ts.faultLocked(&ts.report.Duplicate, "function %v begins though it ended at %v",
			f, f.endedAt)
	}
	if f.hasHandle() {
		ts.armed--
	}
	if f.staleRuns > 0 {
		f.staleRuns--
	} else {
		ts.checkStartLocked(f, now)
	}
	if f.periodic() {
		f.seriesModel.begin(now)
	}
	if !ts.exact() && f.rule == startToStart { // it may have been held up on its way here
		f.due = f.task.ScheduledTime().Sub(ts.start)
	}
	f.inBody = true
	if ts.running++; ts.inline && ts.running > 1 {
		ts.faultLocked(&ts.report.Duplicate, "%d functions at once", ts.running)
	}
	child, f.child = f.child, nil
	return f.lastRun > 0 && f.runs == f.lastRun, child
}

// checkStartLocked checks that f begins neither early, nor late, nor out of turn.
func (ts *timerSim) checkStartLocked(f *timerFunc, now time.Duration) {
	if f.ambiguous {
		return
	}
	if now < f.plannedAt && !f.mayRunEarly {
		ts.faultLocked(&ts.report.Early, "function %v, due at %v, on %v, begins",
			f, f.due, f.plannedAt)
	}
	ts.checkOverdueLocked(f)
	if !ts.inline || !ts.exact() || f.changes > 0 || f.mayRunEarly {
		return
	}
	s := startRecord{id: f.id, due: f.deadline, tick: f.plannedAt, queuedFrom: f.queuedFrom,
		queuedInstant: f.queuedFrom, startedAt: now}
	if ts.classic {
		s.tick = 0
	}
	if now == f.plannedAt && (f.armings == 1 || ts.classic) {
		// Later it may have left long before; and one that is armed again may take its old place.
		s.leftFrom = ts.instantStamp
	}
	since := f.queuedBy
	if since == 0 || f.periodic() {
		since = neverStamp
	}
	if by, bad := ts.order.overtaken(s, since, false, false); bad {
		ts.faultLocked(&ts.report.Late,
			"function %v, due at %v, has been overtaken by %v, due at %v",
			f, f.due, ts.funcs[by.id], by.due)
	}
}

// checkOverdueLocked judges the time that f has waited; the lock is held.
func (ts *timerSim) checkOverdueLocked(f *timerFunc) {
	if ts.timeline.overdue(f.dueBy) && !f.ambiguous && !f.inst.ended {
		ts.faultLocked(&ts.report.Late, "function %v, due at %v, on %v, had not begun at %v", f,
			f.due, f.dueBy, ts.freeUntil)
	}
}

// end notes that a function ends, and plans the next run of what repeats.
func (ts *timerSim) end(f *timerFunc, final bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	now := ts.advanceLocked()
	ts.running--
	f.inBody = false
	switch {
	case final && f.ends != returns:
		f.ended = f.ended || !f.hasHandle()
		f.endedAt = now
		if ts.classic {
			ts.endLocked(f.inst)
		} else {
			ts.endsExpected++
		}
	case !f.periodic() || f.stopped:
	case f.inst.ended:
		f.dueBy = never
	default:
		ts.planNextLocked(f, now)
	}
}

// planNextLocked plans the next run of what repeats, at the end of one.
func (ts *timerSim) planNextLocked(f *timerFunc, now time.Duration) {
	f.seriesModel.end(now)
	if f.task == nil { // which keeps its rank
		f.queuedFrom, f.queuedBy = ts.stamp, ts.stamp
	}
	if f.plannedAt = never; f.due != never {
		f.plannedAt = ts.plannedStart(f.inst, now, max(f.due-now, 0))
	}
	f.dueBy = max(f.plannedAt, now)
	if f.deadline = f.due; f.task == nil {
		f.deadline = max(f.due, now)
	}
	if ts.exact() {
		return
	}
	f.plannedAt, f.dueBy = f.due, never // it depends on who was held up how long
	if f.rule == skip || f.rule == coalesce {
		f.plannedAt = now
	}
}

// endLocked notes that an instance ends; the lock is held.
func (ts *timerSim) endLocked(inst *instance) {
	now := ts.advanceLocked()
	if !inst.ended {
		inst.ended, inst.endedAt, inst.freeUntil = true, now, ts.freeUntil
	}
}

// quiesce waits until nothing can run, and checks that the facility counts as many armed functions
// as there are.
func (ts *timerSim) quiesce() {
	synctest.Wait()
	ts.mu.Lock()
	ts.advanceLocked()
	heldUp := ts.heldUp
	ts.mu.Unlock()
	if heldUp > 0 || ts.inst.pending == nil {
		return
	}
	n := ts.inst.pending()
	ts.mu.Lock()
	defer ts.mu.Unlock()
	armed := ts.armed
	for _, f := range ts.repeating {
		if f.series != nil && !f.inBody && !f.stopped && !f.ended {
			armed++
		}
	}
	if n > armed || n < armed-ts.executorRefusals { // one may be refused just when it is stopped
		ts.faultLocked(&ts.report.Lost, "at rest %d functions are armed, and %d are counted",
			armed, n)
	}
	if ts.pendingLimit > 0 && n > ts.pendingLimit {
		ts.faultLocked(&ts.report.Lost, "at rest %d functions are armed, where %d may", n,
			ts.pendingLimit)
	}
}
