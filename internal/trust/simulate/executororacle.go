package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// begin notes that a body begins, and checks that it may.
func (es *executorSim) begin(t *task, ctx context.Context) {
	var run executor.Run
	var ok bool
	if t.asksRun {
		run, ok = executor.RunFrom(ctx)
	}
	es.mu.Lock()
	defer es.mu.Unlock()
	now := es.advanceLocked()
	es.report.Runs++
	es.acceptLocked(t)
	switch {
	case t.inBody:
		es.faultLocked(&es.report.Duplicate, "task %v, still running, overlaps with itself", t)
	case t.begun > 0 && !t.periodic(), t.ended:
		es.faultLocked(&es.report.Duplicate, "task %v begins after its end", t)
	case t.returned && t.periodic() && !t.ranReturned && !t.refused:
		t.ranReturned = true // it was in a run, which had not come to its body
		es.settledBodies++
	case t.returned, t.refused:
		es.faultLocked(&es.report.Duplicate, "task %v begins though it was handed back, or refused",
			t)
	case t.cancelled && (t.begun >= t.allowedRuns || t.settledAt < es.quietUntil):
		es.faultLocked(&es.report.Duplicate, "task %v begins though it was cancelled at %v",
			t, t.settledAt)
	}
	if !t.cancelled {
		es.queued--
	} else {
		es.settledBodies++
	}
	t.inBody, t.startedAt, t.heedsFrom = true, now, now
	t.begun++
	es.checkStartLocked(t, now)
	switch {
	case !t.asksRun:
	case !ok:
		es.faultLocked(&es.report.Lost, "task %v does not know its run", t)
	case es.exact():
		es.checkRunLocked(t, now, run)
	case t.periodic():
		es.adoptScheduleLocked(t, run)
	}
	es.running++
	if most := es.maxBodies + es.callers + es.helpWaits; es.running > most && es.heldUp == 0 {
		es.faultLocked(&es.report.Duplicate, "%d bodies at once, of at most %d", es.running, most)
	}
}

// checkStartLocked checks that t begins neither early, nor late, nor out of turn.
func (es *executorSim) checkStartLocked(t *task, now time.Duration) {
	if now < t.due {
		es.faultLocked(&es.report.Early, "task %v, due at %v, begins", t, t.due)
	}
	es.checkOverdueLocked(t)
	if !es.ordered || t.mayBeAhead || !es.exact() || es.callerRuns && !t.submitted {
		return
	}
	at := startRecord{id: t.id, due: t.due, queuedFrom: t.queuedFrom,
		queuedInstant: t.queuedInstant, leftFrom: es.instantStamp, startedAt: now}
	if es.scheduler == nil {
		at.due = 0
	}
	if es.byPriority {
		at.due = t.level
	}
	if es.singleWorker {
		at.leftFrom = max(at.leftFrom, es.lastEnd)
	}
	since := t.queuedBy
	if since == 0 {
		since = neverStamp
	}
	if by, bad := es.order.overtaken(at, since, !es.singleWorker, t.requeued); bad {
		es.faultLocked(&es.report.Late, "task %v, due at %v, has been overtaken by %v, due at %v",
			t, t.due, es.tasks[by.id], by.due)
	}
}

const neverStamp = int64(never)

// checkOverdueLocked checks that t has not waited beside a free worker; the lock is held.
func (es *executorSim) checkOverdueLocked(t *task) {
	if es.timeline.overdue(t.dueBy) {
		es.faultLocked(&es.report.Late, "task %v, due at %v, was there beside a free worker at %v",
			t, t.dueBy, es.freeUntil)
	}
}

// checkRunLocked compares what the facility tells of a run with what the model of the series says.
func (es *executorSim) checkRunLocked(t *task, now time.Duration, run executor.Run) {
	scheduled, missed := t.seriesModel.begin(now)
	if t.periodic() && (run.Number != uint64(t.begun) || run.Missed != missed ||
		run.Scheduled.Sub(es.start) != scheduled) {
		es.faultLocked(&es.report.Lost,
			"task %v is in run %d, planned for %v, %d missed, not run %d, for %v, %d missed",
			t, run.Number, run.Scheduled.Sub(es.start), run.Missed, t.begun, scheduled, missed)
	}
	if run.Started.Sub(es.start) != now && (t.periodic() || t.timed != nil) {
		es.faultLocked(&es.report.Lost, "task %v believes it started at %v", t,
			run.Started.Sub(es.start))
	}
}

// adoptScheduleLocked takes the planned time of a run from the facility, where it depends on how
// long a delay point has held somebody up. It must still be on the grid, and after the run before.
func (es *executorSim) adoptScheduleLocked(t *task, run executor.Run) {
	scheduled := run.Scheduled.Sub(es.start)
	right := run.Number == uint64(t.begun) && t.due <= scheduled && scheduled <= es.lastChange
	switch {
	case !t.rule.fixedRate():
	case t.begun == 1 && t.rule == burst:
		t.first = scheduled
	case t.begun == 1:
		t.first = scheduled % t.period
		t.slot = int64(scheduled / t.period)
	default:
		t.slot = int64((scheduled - t.first) / t.period)
		right = right && t.at(t.slot) == scheduled
	}
	t.due = scheduled
	if !right {
		es.faultLocked(&es.report.Lost, "task %v, due at %v, is in run %d, planned for %v", t,
			t.due, run.Number, scheduled)
	}
}

// end notes that a body ends, checks that, and plans the next run of a series.
func (es *executorSim) end(t *task, interrupted bool) {
	es.mu.Lock()
	defer es.mu.Unlock()
	now := es.advanceLocked()
	es.running--
	if t.helperOrphaned {
		es.helpWaits--
		es.orphanedHelpers--
	}
	es.lastEnd, es.lastProgress = es.stamp, now
	t.inBody = false
	if t.cancelled || t.returned {
		es.settledBodies--
	}
	es.checkInterruptionLocked(t, now, interrupted)
	failed := t.ends != returns && (!t.periodic() || t.begun == t.lastRun || t.survivesFailure)
	late := t.timeout > 0 && now-t.startedAt >= t.timeout
	last := !t.periodic() || t.begun == t.lastRun || failed && !t.survivesFailure || late &&
		!t.survivesTimeout()
	switch {
	case t.cancelled:
	case t.returned && !last:
		t.dueBy = never
	case last:
		t.ended = true
		t.settledAt = now
	case es.closing && !es.keepPeriodic: // it will be dropped
		t.dueBy = never
	default:
		t.seriesModel.end(now)
		t.dueBy = max(t.due, now) // nobody can begin it while it runs
		if !es.exact() && (t.rule == skip || t.rule == fixedDelay) {
			t.dueBy = never
		}
		t.queuedFrom, t.queuedInstant, t.queuedBy = es.stamp, es.instantStamp, es.stamp
		t.requeued = true
		es.queued++
	}
}

// checkInterruptionLocked checks that the context of a body has ended if, and only if, it had to.
func (es *executorSim) checkInterruptionLocked(t *task, now time.Duration, interrupted bool) {
	late := t.timeout > 0 && now-t.startedAt >= t.timeout
	why := t.cancelling || es.mayInterrupt || es.baseEnded || late
	switch {
	case interrupted && !why:
		es.faultLocked(&es.report.Early, "task %v was interrupted for no reason", t)
	case t.interrupted && t.heedsContext && t.takes > 0 &&
		max(t.interruptedAt, t.heedsFrom) < es.quietUntil && t.interruptedAt >= t.startedAt:
		es.faultLocked(&es.report.Late, "task %v, cancelled at %v, ends", t, t.interruptedAt)
	case !interrupted && t.heedsContext && t.timeout > 0 && t.startedAt+t.timeout < now &&
		es.exact():
		es.faultLocked(&es.report.Late, "task %v has outlived its timeout", t)
	}
}

// acceptLocked notes that t is accepted, unless that is known: its submitter and its first run both
// know, and either may come first. The lock is held.
func (es *executorSim) acceptLocked(t *task) {
	if t.accepted {
		return
	}
	t.accepted = true
	es.accepted++
	es.queued++
}
