package simulate

import (
	"errors"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// audit checks the final state: every task has one end, its future says which, and the statistics
// of the executor agree.
func (es *executorSim) audit() {
	var sum counts
	c := es.stats()
	es.mu.Lock()
	defer es.mu.Unlock()
	es.advanceLocked()
	for _, t := range es.tasks {
		switch {
		case t.inBody:
			es.faultLocked(&es.report.Stuck, "task %v has not returned", t)
		case !t.accepted:
		case t.method == byExecute:
			es.auditExecutedLocked(t, &sum)
		default:
			es.auditFutureLocked(t, &sum)
		}
	}
	sum.accepted, sum.runs = uint64(es.accepted), uint64(es.report.Runs)
	if (es.hooked || es.watcher != nil) && c.runs > sum.runs {
		sum.runs = c.runs // those whose bodies a hook has prevented
	}
	if sum != c {
		es.faultLocked(&es.report.Lost, "in the end the counts are %+v, and should be %+v", c, sum)
	}
	es.auditWatcher(c)
	if es.hooked && (uint64(es.before.Load()) != c.runs || es.before.Load() != es.after.Load()) {
		es.faultLocked(&es.report.Lost,
			"%d runs, but %d calls of the hook before them, and %d of that after",
			c.runs, es.before.Load(), es.after.Load())
	}
}

// auditExecutedLocked checks a task without a future, and adds its end to sum.
func (es *executorSim) auditExecutedLocked(t *task, sum *counts) {
	switch {
	case t.begun == 1 && !t.returned:
		sum.completed++
	case t.begun == 0 && (es.discards || es.mayDropLocked(t) && (t.returned || es.dropsUnlisted)):
		sum.returned++
	default:
		es.faultLocked(&es.report.Lost, "task %v, due at %v, has begun %d times", t, t.due, t.begun)
	}
}

func (es *executorSim) auditFutureLocked(t *task, sum *counts) {
	result, ok := t.future.Poll()
	if !ok {
		es.faultLocked(&es.report.Lost,
			"the future of task %v, due at %v, is not settled; cancelled %t", t, t.due, t.cancelled)
		return
	}
	err, right := result.Err, true
	var panicked *future.PanicError
	if t.returned && t.begun > 0 { // in a run, of which the end does not count
		sum.returned++
		sum = new(counts)
	}
	switch {
	case err == nil:
		sum.completed++
		right = t.ended && !t.cancelled && (t.ends == returns || t.survivesFailure)
	case errors.Is(err, executor.ErrShutdown):
		sum.returned++
		right = !t.cancelled && es.mayDropLocked(t) && (t.begun == 0 || t.periodic()) &&
			(t.returned || es.dropsUnlisted)
	case errors.Is(err, executor.ErrSaturated):
		sum.returned++
		right = !t.cancelled && es.discards && t.begun == 0
	case errors.Is(err, future.ErrCancelled):
		sum.cancelled++
		right = t.cancelled
	case errors.Is(err, future.ErrTimeout):
		sum.completed++
		right = t.timeout > 0 && t.ended && t.timeout < t.takes &&
			// A series that outlives a timeout still ends with one if it then panics.
			(!t.survivesTimeout() || t.ends > fails && !t.survivesFailure)
	default:
		sum.completed++
		right = t.ended && !t.cancelled && (err == errBoom && t.ends == fails ||
			errors.As(err, &panicked) && t.ends == panics || err == future.ErrGoexit &&
			t.ends == exits)
	}
	if !right {
		es.faultLocked(&es.report.Lost,
			"task %v, due at %v, cancelled %t, handed back %t, has an unlikely outcome: %v",
			t, t.due, t.cancelled, t.returned, err)
	}
}

// mayDropLocked reports whether a shutdown may have dropped t.
func (es *executorSim) mayDropLocked(t *task) bool {
	switch {
	case es.stopped:
		return true
	case !es.closing || es.scheduler == nil:
		return false
	case t.periodic():
		return !es.keepPeriodic
	default:
		return es.dropDelayed && t.dueBy > es.closedAt
	}
}
