package simulate

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// close ends the executor in one of many ways, and waits until it has terminated.
func (es *executorSim) close() {
	if es.pool != nil && es.scheduler != nil {
		es.drawShutdownPolicies()
	}
	way := es.rng.IntN(7)
	if es.loop != nil && es.oneIn(4) {
		way = 7
	}
	switch way {
	case 0, 1:
		es.shutDown(false, es.executor.Shutdown)
		es.cancelUnending()
	case 2:
		es.closeContext(context.Background())
	case 3:
		ctx, cancel := context.WithTimeout(context.Background(), es.steps(20))
		es.closeContext(ctx)
		cancel()
	case 4:
		es.shutDown(true, func() { es.returnAll(es.executor.ShutdownNow()) })
	case 5:
		es.shutDown(false, es.executor.Shutdown)
		time.Sleep(es.steps(20))
		es.shutDown(true, func() { es.returnAll(es.executor.ShutdownNow()) })
	case 7:
		es.closeGracefully()
	default:
		es.closeFromInside()
	}
	es.submit(es.newTask()) // it should be refused
	es.awaitTermination()
}

// drawShutdownPolicies sets what becomes of later tasks after a shutdown.
func (es *executorSim) drawShutdownPolicies() {
	table := es.scheduler.(*executor.ScheduledPool)
	if es.oneIn(3) {
		es.dropDelayed = true
		table.SetExecuteDelayedAfterShutdown(false)
	}
	if es.oneIn(3) {
		es.keepPeriodic = true
		table.SetContinuePeriodicAfterShutdown(true)
	}
}

// shutDown has call end the executor, at once or in order, and notes that.
func (es *executorSim) shutDown(atOnce bool, call func()) {
	es.mu.Lock()
	now := es.advanceLocked()
	if !es.closing {
		es.closing, es.closedAt = true, now
	}
	if atOnce {
		es.beginDropListLocked(now)
	} else {
		es.dropsUnlisted = true
	}
	es.stopped = es.stopped || atOnce
	es.mayInterrupt = es.stopped
	es.mu.Unlock()
	call()
	es.mu.Lock()
	defer es.mu.Unlock()
	es.lastProgress = es.advanceLocked()
}

// closeContext closes the executor, which drops what is not due and waits for the rest, until ctx
// ends.
func (es *executorSim) closeContext(ctx context.Context) {
	es.mu.Lock()
	now := es.advanceLocked()
	es.closing, es.closedAt, es.dropDelayed, es.keepPeriodic = true, now, true, false
	es.lastProgress, es.mayInterrupt = now, ctx.Done() != nil
	es.beginDropListLocked(now)
	es.mu.Unlock()
	report, err := es.executor.CloseContext(ctx)
	es.mu.Lock()
	now = es.advanceLocked()
	if end, ok := ctx.Deadline(); err != nil {
		es.stopped = true
		if es.lastProgress = now; !ok || end.Sub(es.start) < es.quietUntil {
			es.faultLocked(&es.report.Late, "Close with a deadline returned: %v", err)
		}
	}
	es.mu.Unlock()
	es.returnAll(report.Dropped)
}

// beginDropListLocked notes that a list of what is dropped is about to be made; the lock is held.
func (es *executorSim) beginDropListLocked(now time.Duration) {
	if es.dropListFrom == 0 {
		es.dropListFrom = now
	}
}

// closeFromInside has a task tell the executor to end.
func (es *executorSim) closeFromInside() {
	t := es.newTask()
	if t == nil {
		es.shutDown(false, es.executor.Shutdown)
		es.cancelUnending()
		return
	}
	t.action = shutsDown + bodyAction(es.rng.IntN(2))
	if !es.submit(t) || es.discards {
		es.shutDown(false, es.executor.Shutdown)
	}
	time.Sleep(es.steps(8))
	es.shutDown(false, es.executor.Shutdown) // it may have a long way to come
	es.cancelUnending()
}

// cancelUnending cancels what would keep the executor from ever terminating.
func (es *executorSim) cancelUnending() {
	time.Sleep(es.steps(30))
	for _, t := range es.tasks {
		if t.initial == never || t.rule != once {
			es.cancel(t, 0)
		}
	}
}

// awaitTermination waits for the end of the executor. It comes as soon as there is nothing left.
func (es *executorSim) awaitTermination() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	from := es.now()
	err := es.executor.AwaitTermination(ctx)
	es.mu.Lock()
	defer es.mu.Unlock()
	es.advanceLocked()
	switch {
	case err != nil:
		es.faultLocked(&es.report.Stuck, "no end after an hour, with %d bodies and %d waiting: %v",
			es.running, es.queued, err)
	case max(es.lastProgress, from) < es.quietUntil && !es.acceptsClosing:
		es.faultLocked(&es.report.Late, "the end came late: what it waited for was over at %v",
			es.lastProgress)
	}
}

// returnAll notes all tasks that have been handed back. All that tells them apart is their bodies,
// so it calls these with a context that says why.
func (es *executorSim) returnAll(tasks []executor.Pending) {
	for _, p := range tasks {
		if p.Task != nil {
			_ = p.Task(returnContext{context.Background()})
		}
	}
}

// noteReturned notes that t has been handed back, and checks that it may be.
func (es *executorSim) noteReturned(t *task) {
	es.mu.Lock()
	defer es.mu.Unlock()
	es.advanceLocked()
	switch {
	case t.returned:
		es.faultLocked(&es.report.Duplicate, "task %v is handed back twice", t)
	case !t.mayBeReturned(es.dropListFrom):
		es.faultLocked(&es.report.Duplicate, "task %v is handed back though it has begun, or ended",
			t)
	}
	es.acceptLocked(t)
	t.returned = true
	if t.inBody && !t.cancelled {
		es.settledBodies++
	}
	if !t.periodic() && es.closedAt >= t.dueBy {
		es.checkOverdueLocked(t)
	}
}

// mayBeReturned reports whether t may be in a list of dropped tasks of which the first was begun at
// the given time: a task that has not begun; a series that had not ended then, though it may be in
// a run since, and this may have been its last by a failure or a cancellation, of which nobody
// knew.
func (t *task) mayBeReturned(from time.Duration) bool {
	if !t.periodic() {
		return !t.cancelled && !t.ended && t.begun == 0
	}
	if (t.cancelled || t.ended) && t.settledAt < from {
		return false
	}
	known := t.ends == returns || t.survivesFailure // by MaxRuns
	return !known || t.lastRun == 0 || t.begun < t.lastRun
}
