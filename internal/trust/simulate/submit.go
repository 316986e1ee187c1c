package simulate

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// submit submits t and reports whether it has been accepted. Anybody may call it.
func (es *executorSim) submit(t *task) bool {
	if t == nil {
		return false
	}
	es.mu.Lock()
	quiescent := es.quiescentStamp == es.stamp && es.lastChange == es.now() && es.exact()
	room := es.hasRoomLocked()
	before := es.advanceLocked()
	t.queuedFrom, t.queuedInstant = es.stamp, es.instantStamp
	t.first = sum(before, t.initial)
	t.due, t.dueBy = t.first, never
	es.callers++
	es.report.Ops++
	closing := es.closing
	es.mu.Unlock()

	err := t.submit()

	es.mu.Lock()
	defer es.mu.Unlock()
	now := es.advanceLocked()
	es.callers--
	switch {
	case err == nil:
		t.submitted = true
		es.acceptLocked(t)
		if t.begun == 0 && !(t.isChild && es.callerRuns) { // its parent may have to run it later
			t.dueBy = sum(t.due, now-before)
		}
		if t.begun == 0 {
			t.queuedBy = es.stamp
		}
		if closing && es.exact() && es.closedAt < before && !es.acceptsClosing {
			es.faultLocked(&es.report.Lost, "task %v is accepted after the end", t)
		}
		return true
	case errors.Is(err, executor.ErrShutdown) && es.closing:
	case errors.Is(err, executor.ErrRejected) && errors.Is(err, context.DeadlineExceeded) &&
		t.method == bySubmitContext:
		es.checkPatienceLocked(t, before, now)
	case errors.Is(err, executor.ErrSaturated) && es.bounded && t.method != bySubmitContext:
		if quiescent && room && !es.discards && es.scheduler == nil {
			es.faultLocked(&es.report.Lost,
				"task %v is refused, with %d of %d running and %d of %d waiting",
				t, es.running, es.maxWorkers, es.queued, es.capacity)
		}
	default:
		es.faultLocked(&es.report.Lost, "task %v refused: %v", t, err)
	}
	t.refused = true
	if t.begun > 0 {
		es.faultLocked(&es.report.Duplicate, "task %v runs and is refused", t)
	}
	return false
}

// checkPatienceLocked checks a submitter that has waited for room in vain.
func (es *executorSim) checkPatienceLocked(t *task, before, now time.Duration) {
	switch end := before + t.maxWait; {
	case now < end:
		es.faultLocked(&es.report.Early, "who would wait for room until %v for task %v gives up",
			end, t)
	case end < es.quietUntil:
		es.faultLocked(&es.report.Late, "who would wait for room until %v for task %v gives up",
			end, t)
	case es.roomUntil > before && !es.discards:
		es.faultLocked(&es.report.Late,
			"who waits for room from %v on for task %v has not got it, though there was some at %v",
			before, t, es.roomUntil)
	}
}

// cancel cancels t in one of three ways.
func (es *executorSim) cancel(t *task, way int) {
	if !es.hasFuture(t) {
		return
	}
	es.mu.Lock()
	es.advanceLocked()
	if way < 2 {
		t.cancelling = true
	}
	t.cancellers++
	es.report.Ops++
	was := t.cancelled
	es.mu.Unlock()
	var cancelled bool
	switch way {
	case 0:
		cancelled = t.future.Cancel()
	case 1:
		cancelled = t.future.CancelCause(errBoom)
	default:
		cancelled = t.future.Stop()
	}
	allowed := 1
	if cancelled && t.timed != nil {
		allowed = int(t.timed.Runs())
	}
	es.mu.Lock()
	defer es.mu.Unlock()
	now := es.advanceLocked()
	t.cancellers--
	if way < 2 && (cancelled || was) && !t.interrupted {
		t.interrupted, t.interruptedAt = true, now
	}
	switch {
	case cancelled && was:
		es.faultLocked(&es.report.Duplicate, "task %v is cancelled twice", t)
	case cancelled && t.ended && t.settledAt < es.quietUntil:
		es.faultLocked(&es.report.Duplicate, "task %v, ended at %v, is cancelled", t, t.settledAt)
	case cancelled:
		es.cancelledLocked(t, now, allowed)
	case !t.settled() && t.cancellers == 0 && !es.stopped && !es.closing && !es.discards &&
		t.timeout == 0 && t.accepted:
		es.faultLocked(&es.report.Lost, "task %v has not ended, and cannot be cancelled", t)
	}
}

// cancelledLocked notes that t has been cancelled; the lock is held.
func (es *executorSim) cancelledLocked(t *task, now time.Duration, allowed int) {
	switch {
	case t.inBody && t.returned: // it is one already
	case t.inBody:
		es.settledBodies++
	case t.ended: // in this instant: the future was settled by the cancellation
		t.ended = false
	default:
		es.queued--
		if t.timed == nil && t.settledAt == 0 {
			es.checkOverdueLocked(t)
		} else if t.begun >= allowed {
			es.checkOverdueLocked(t)
		}
	}
	t.cancelled, t.allowedRuns, t.settledAt = true, allowed, now
	es.lastProgress = now
}

// hasFuture reports whether t has been submitted, as far as its submitter knows, and has a future.
func (es *executorSim) hasFuture(t *task) bool {
	es.mu.Lock()
	defer es.mu.Unlock()
	return t.submitted && t.method != byExecute
}

// get waits for the outcome of t for d.
func (es *executorSim) get(t *task, d time.Duration, byContext bool) {
	if !es.hasFuture(t) {
		return
	}
	es.mu.Lock()
	from := es.advanceLocked()
	es.report.Ops++
	es.mu.Unlock()
	var err error
	if byContext {
		ctx, cancel := context.WithTimeout(context.Background(), d)
		_, err = t.future.Get(ctx)
		cancel()
	} else {
		_, err = t.future.GetTimeout(d)
	}
	gaveUp := !t.future.State().Settled()
	es.mu.Lock()
	defer es.mu.Unlock()
	now := es.advanceLocked()
	switch {
	case gaveUp && now < from+d:
		es.faultLocked(&es.report.Early, "who waits for task %v from %v on for %v gives up: %v", t,
			from, d, err)
	case gaveUp && !errors.Is(err, future.ErrTimeout) && !errors.Is(err, context.DeadlineExceeded):
		es.faultLocked(&es.report.Lost, "who waits for task %v gets %v", t, err)
	case gaveUp && from+d < es.quietUntil:
		es.faultLocked(&es.report.Late, "who waits for task %v from %v on for %v gives up",
			t, from, d)
	case gaveUp && (t.cancelled || t.ended) && t.settledAt < es.quietUntil && es.exact():
		es.faultLocked(&es.report.Late,
			"who waits for task %v has not been told that it ended at %v", t, t.settledAt)
	case !gaveUp && (t.cancelled || t.ended) && max(from, t.settledAt) < es.quietUntil &&
		t.timeout == 0:
		es.faultLocked(&es.report.Late, "who waits for task %v, ended at %v, is told",
			t, t.settledAt)
	}
}
