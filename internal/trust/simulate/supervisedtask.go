package simulate

import (
	"context"
	"runtime"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// supervisedTask is a task under a supervisor.
type supervisedTask struct {
	sim        *supervisorSim
	supervisor *supervisor.Supervisor

	interval, timeout, ceiling time.Duration
	maxUnfinished              int // how many there may be
	policy                     supervisor.DelayPolicy
	ignoresContextOneIn        int // one in so many runs does not heed its context

	// The lock of the simulation guards these.
	begun          int
	bodies         int           // in progress
	runs           []runPlan     // that have begun, and of which no outcome has been told
	cycles         uint64        // that have an outcome
	outcomes       [5]uint64     // of these
	delay          time.Duration // after the last
	lastEnd        time.Duration // of the last
	disturbedAt    time.Duration // when somebody last asked for another course; below 0 nobody has
	triggerPending bool          // a Trigger has not had its run yet
	triggeredAt    time.Duration // when it was
	lastBegun      time.Duration
	stopped        bool
}

// runPlan is what one run is going to do.
type runPlan struct {
	takes         time.Duration
	heedsContext  bool
	ends          bodyEnd
	started       time.Duration
	unpredictable bool // somebody has asked for it, or for another course
}

// newTask makes a supervisor with its task.
func (ss *supervisorSim) newTask() *supervisedTask {
	st := &supervisedTask{
		sim:                 ss,
		interval:            grid * time.Duration(1+ss.rng.IntN(6)),
		timeout:             grid * time.Duration(1+ss.rng.IntN(8)),
		maxUnfinished:       1 + ss.rng.IntN(2),
		policy:              supervisor.DelayPolicy(ss.rng.IntN(3)),
		ignoresContextOneIn: 2 + ss.rng.IntN(20),
		disturbedAt:         -1,
	}
	bound := 1 + ss.rng.IntN(4)
	st.ceiling = max(st.interval, st.timeout*time.Duration(bound))
	st.delay = st.interval
	st.supervisor = supervisor.New(ss.pool, st.body,
		supervisor.Interval(st.interval),
		supervisor.Timeout(st.timeout),
		supervisor.Bound(bound),
		supervisor.InitialDelay(ss.steps(5)),
		supervisor.MaxUnfinished(st.maxUnfinished),
		supervisor.FailurePolicy(st.policy),
		supervisor.AfterCycle(st.outcome),
		executor.Logger(silent))
	return st
}

// disturb calls what changes the course of the supervisor, and notes when that was.
func (st *supervisedTask) disturb(call func()) {
	ss := st.sim
	ss.mu.Lock()
	st.disturbedAt = ss.advanceLocked()
	ss.mu.Unlock()
	call()
	ss.mu.Lock()
	st.disturbedAt = ss.advanceLocked()
	ss.mu.Unlock()
}

// trigger asks for a run, and checks that it begins at once if nothing is in its way.
func (st *supervisedTask) trigger() {
	ss := st.sim
	quiescent := ss.neverQueues && ss.exact() && ss.oneIn(2)
	begun := 0
	if quiescent {
		synctest.Wait()
		s := st.supervisor.Stats()
		ss.mu.Lock()
		quiescent = s.State == "waiting" && s.Unfinished < st.maxUnfinished && !st.triggerPending
		begun = st.begun
		ss.mu.Unlock()
	}
	ss.mu.Lock()
	st.triggerPending, st.triggeredAt = true, ss.advanceLocked()
	ss.mu.Unlock()
	st.disturb(st.supervisor.Trigger)
	if quiescent {
		synctest.Wait()
	}
	ss.mu.Lock()
	defer ss.mu.Unlock()
	st.triggerPending = st.triggerPending || !quiescent // a run may have begun just before
	if quiescent && st.begun == begun {
		ss.faultLocked(&ss.report.Stuck, "a run that was asked for has not begun")
	}
}

// body is the task.
func (st *supervisedTask) body(ctx context.Context) error {
	ss := st.sim
	ss.mu.Lock()
	p := runPlan{started: ss.advanceLocked()}
	ss.report.Runs++
	x := mix(ss.seed<<20 + uint64(st.begun)<<4 + uint64(st.interval/grid))
	p.takes = max(0, time.Duration(x%12)-3) * grid
	p.heedsContext = x>>8%uint64(st.ignoresContextOneIn) > 0
	if x>>16%4 == 0 {
		p.ends = bodyEnd(x >> 20 % 4)
	}
	p.unpredictable = st.triggerPending || st.disturbedAt >= st.lastEnd
	// A Trigger of this instant may have come just after the run began.
	st.triggerPending = st.triggerPending && st.disturbedAt >= ss.quietUntil
	st.runs = append(st.runs, p)
	st.begun++
	st.lastBegun = p.started
	if st.bodies++; st.bodies > st.maxUnfinished {
		ss.faultLocked(&ss.report.Duplicate, "%d runs at once, of at most %d", st.bodies,
			st.maxUnfinished)
	}
	if st.stopped {
		ss.faultLocked(&ss.report.Duplicate, "a run begins though its supervisor has stopped")
	}
	ss.mu.Unlock()
	if p.takes > 0 {
		st.work(ctx, p)
	}
	ss.mu.Lock()
	ss.advanceLocked()
	st.bodies--
	ss.mu.Unlock()
	switch p.ends {
	case fails:
		return errBoom
	case panics:
		panic(errBoom)
	case exits:
		runtime.Goexit()
	}
	return nil
}

// work takes the time of a run, unless its context ends first and the run heeds that.
func (st *supervisedTask) work(ctx context.Context, p runPlan) {
	if !p.heedsContext {
		time.Sleep(p.takes)
		return
	}
	limit := time.NewTimer(p.takes)
	defer limit.Stop()
	select {
	case <-limit.C:
	case <-ctx.Done():
	}
}

// outcome is told of the end of each cycle.
func (st *supervisedTask) outcome(o supervisor.Outcome) {
	ss := st.sim
	ss.mu.Lock()
	defer ss.mu.Unlock()
	ss.advanceLocked()
	ss.report.Ops++
	st.cycles++
	st.outcomes[o.Kind]++
	started := o.Started.Sub(ss.start)
	if o.Number != st.cycles {
		ss.faultLocked(&ss.report.Lost, "cycle %d is told of as number %d", st.cycles, o.Number)
	}
	freely := st.triggerPending || st.disturbedAt >= st.lastEnd
	if ss.neverQueues && o.Kind != supervisor.Capped && len(st.runs) > 0 {
		freely = st.runs[0].unpredictable
		st.checkOutcomeLocked(o, started, st.runs[0])
		st.runs = st.runs[1:]
	}
	if ss.neverQueues && ss.exact() && !freely && st.cycles > 1 {
		st.checkStartLocked(started)
	}
	st.lastEnd = started + o.Took
	switch {
	case o.Kind == supervisor.Succeeded, o.Kind == supervisor.Failed &&
		st.policy == supervisor.Reset:
		st.delay = st.interval
	case o.Kind == supervisor.Failed && st.policy == supervisor.Keep:
	default:
		st.delay = min(2*st.delay, st.ceiling)
	}
	if o.Delay != st.delay {
		ss.faultLocked(&ss.report.Lost, "after cycle %d, %v, the delay is %v, and should be %v",
			o.Number, o.Kind, o.Delay, st.delay)
	}
}

// checkStartLocked checks that a cycle has begun when it was due.
func (st *supervisedTask) checkStartLocked(started time.Duration) {
	ss := st.sim
	switch due := st.lastEnd + st.delay; {
	case started < due:
		ss.faultLocked(&ss.report.Early, "cycle %d, due at %v, began at %v",
			st.cycles, due, started)
	case started > due:
		ss.faultLocked(&ss.report.Late, "cycle %d, due at %v, began at %v", st.cycles, due, started)
	}
}

// checkOutcomeLocked checks that a cycle has ended as its run was planned to. A run that takes
// exactly its timeout has timed out.
func (st *supervisedTask) checkOutcomeLocked(o supervisor.Outcome, started time.Duration,
	run runPlan) {
	ss := st.sim
	if !ss.exact() || ss.closing {
		return
	}
	kind, took := supervisor.Succeeded, run.takes
	switch {
	case took >= st.timeout:
		kind, took = supervisor.TimedOut, st.timeout
	case run.ends != returns:
		kind = supervisor.Failed
	}
	if run.started != started || o.Kind != kind || o.Took != took {
		ss.faultLocked(&ss.report.Late,
			"cycle %d, of %v, is %v after %v, and should be %v, of %v, after %v",
			o.Number, started, o.Kind, o.Took, kind, run.started, took)
	}
}
