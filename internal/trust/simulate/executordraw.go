package simulate

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// drawTask makes a task; all that is random about it is decided here. It returns nil if there are
// enough.
func (es *executorSim) drawTask() *task {
	t := es.newTask()
	if t == nil {
		return nil
	}
	es.drawMethod(t)
	if !es.oneIn(3) {
		t.takes = es.steps(es.maxWork)
	}
	t.heedsContext = t.takes > 0 && es.oneIn(2)
	es.drawSeries(t)
	es.drawEnd(t)
	es.drawAction(t)
	es.drawTimeout(t)
	t.asksRun = t.periodic() || es.asksRuns && es.oneIn(4)
	if es.oneIn(4) && t.method != byExecute && t.n < len(t.opts) {
		t.level = time.Duration(es.rng.IntN(3) - 1)
		t.option(executor.Priority(-int(t.level)))
	}
	return t
}

// newTask returns a new task, to be run at once, without a future.
func (es *executorSim) newTask() *task {
	n := len(es.tasks)
	if n == len(es.arena) {
		return nil
	}
	t := &es.arena[n]
	t.sim, t.id = es, n
	es.tasks = append(es.tasks, t)
	return t
}

func (t *task) option(o executor.TaskOption) {
	t.opts[t.n] = o
	t.n++
}

func (es *executorSim) drawMethod(t *task) {
	if es.scheduler == nil {
		t.method = submitMethod(es.rng.IntN(3))
		t.maxWait = es.steps(12)
		return
	}
	hows := [...]submitMethod{byExecute, byExecute, bySubmit, bySubmit, bySchedule, bySchedule,
		bySchedule, byScheduleAt, asSeries, asSeries}
	t.method = hows[es.rng.IntN(len(hows))]
	if t.method >= bySchedule {
		t.initial = es.steps(20)
		switch {
		case es.oneIn(50):
			t.initial = never
		case es.oneIn(50):
			t.initial = -grid
		}
	}
}

// drawSeries makes t periodic, if it is to be: most series end by themselves after some runs.
func (es *executorSim) drawSeries(t *task) {
	if t.method != asSeries {
		return
	}
	t.rule = burst + rule(es.rng.IntN(5))
	t.rule = min(t.rule, fixedDelay)
	t.period = time.Duration(1+es.rng.IntN(15)) * grid
	t.lastRun = 1 + es.rng.IntN(8)
	if es.oneIn(8) {
		t.lastRun, t.period = 0, t.period*8
	}
	if t.ticks = t.rule != fixedDelay && es.oneIn(3); t.ticks {
		t.initial = t.period
	}
	switch {
	case t.rule == burst && t.ticks:
		t.option(executor.CatchUp(executor.Burst))
	case t.rule == skip:
		t.option(executor.CatchUp(executor.Skip))
	case t.rule == coalesce && !t.ticks:
		t.option(executor.CatchUp(executor.Coalesce))
	}
}

func (es *executorSim) drawEnd(t *task) {
	if es.oneIn(12) {
		t.ends = bodyEnd(es.rng.IntN(4))
	}
	if es.noExits && t.ends == exits {
		t.ends = fails
	}
	if !t.periodic() {
		return
	}
	t.drawPolicy(es)
	t.survivesFailure = t.ends == fails && t.policy != executor.StopSeries ||
		t.ends > fails && t.policy == executor.Continue
	if (t.ends == returns || t.survivesFailure) && t.lastRun > 0 {
		t.option(executor.MaxRuns(t.lastRun))
	}
}

// drawPolicy says what failures mean for a series. The first policy is the default, too.
func (t *task) drawPolicy(es *executorSim) {
	if t.ends == returns && !es.oneIn(4) {
		return
	}
	if t.policy = executor.ErrorPolicy(es.rng.IntN(3)); t.policy != executor.StopOnPanic {
		t.option(executor.FailurePolicy(t.policy))
	}
}

// survivesTimeout reports whether t goes on after a run that takes longer than its timeout.
func (t *task) survivesTimeout() bool { return t.periodic() && t.policy != executor.StopSeries }

// drawAction gives t something to do in the middle.
func (es *executorSim) drawAction(t *task) {
	if t.periodic() || !es.oneIn(8) {
		return
	}
	t.action = submitsChild + bodyAction(es.rng.IntN(4))
	switch t.action {
	case cancelsItself, awaitsItself:
		if t.method == byExecute {
			t.action = noAction
		}
	default:
		if t.child = es.newTask(); t.child == nil {
			t.action = noAction
			return
		}
		t.child.isChild, t.child.takes = true, es.steps(4)
		// Or its parent runs it, later.
		t.child.mayBeAhead = t.action == awaitsChild && es.loop == nil || es.callerRuns
		if t.action == awaitsChild {
			t.child.method = bySubmit
		}
	}
}

// drawTimeout gives some runs a timeout, unless a delay point may hold them up past it. A body
// that ignores its context would go on after the timeout; one that takes exactly as long, or whose
// context ends just then, may end either way.
func (es *executorSim) drawTimeout(t *task) {
	if !es.exact() || es.cancelBase != nil || !t.heedsContext || t.action != noAction {
		return
	}
	if t.method == byExecute || t.n == len(t.opts) || !es.oneIn(6) {
		return
	}
	t.timeout = grid * time.Duration(1+es.rng.IntN(es.maxWork))
	if t.timeout == t.takes {
		t.timeout += grid
	}
	t.option(executor.Timeout(t.timeout))
}
