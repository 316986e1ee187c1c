package engine

import (
	"github.com/punctual-go/punctual/internal/parking"
)

// notifyLocked is to be called whenever the queue has changed or a worker may be missing. It lets
// in blocked submitters for whom there is room now. Then it sees to it that somebody looks at the
// head in time: it calls an idle worker, sets the leader's alarm, or starts a worker if all are
// busy and one more is allowed. Pass unread if the clock has not been read, or too long ago.
func (cr *Crew) notifyLocked(now int64) {
	p := cr.pool
	if p.Life.stage >= stopping {
		return // workers only leave now
	}
	if p.Door.blockedSubmitters.list.Len() > 0 {
		p.Door.blockedSubmitters.admitLocked(p, 0)
	}
	if cr.pause.on {
		return
	}
	// Each worker that starts with the head leaves room in the queue for the next submitter.
	for p.plain && p.waiting.inbox == nil && p.Pace == nil &&
		!p.loans.overdrawnLocked() && cr.startBusyLocked() {
		p.Door.blockedSubmitters.admitLocked(p, 0)
	}
	mayGrow := len(cr.workers) < cr.limitLocked()
	if !mayGrow && cr.lot.Idle() == 0 {
		if !p.runs.Watching() {
			cr.busyLocked()
		}
		// All are busy, and each looks again after its task. Meanwhile a timer looks for a
		// shortage.
		if p.waiting.delayed != nil && p.runs.Watching() {
			p.waiting.delayed.Ignore()
		}
		return
	}
	head, due, _ := p.headLocked()
	switch {
	case due:
		now = max(now, head)
	case now < head:
		now = p.now() // an old reading would set the alarm too late
	}
	if !due && !cr.urgentLocked(head, now) {
		head = cr.lot.Space(head, cr.slack)
	}
	if head <= now && p.loans.overdrawnLocked() {
		if !p.runs.Watching() {
			cr.busyLocked()
		}
		return // a worker would take nothing; freedLocked notifies once a place is free
	}
	if cr.lot.Notify(head, now, mayGrow) {
		cr.startWorkerLocked()
	}
}

// command calls f, which is to change something, with the lock held.
func (cr *Crew) command(f func()) {
	cr.pool.mu.Lock()
	defer cr.pool.mu.Unlock()
	f()
}

// call is notifyLocked for a caller who does not hold the lock.
func (cr *Crew) call() { cr.command(func() { cr.notifyLocked(unread) }) }

// urgentLocked reports whether a head that is due is to be taken now, whatever the slack: a task
// that was submitted to run now waits for nobody's slack, nor does what comes before it. Most such
// tasks stand in the line; those of serial executors, and of pools without an inbox, do not.
func (cr *Crew) urgentLocked(head, now int64) bool {
	switch {
	case cr.slack == 0, head > now, head == parking.Nothing:
		return false
	case head <= cr.urgent:
		return true
	}
	line := cr.pool.waiting.inbox
	return line != nil && line.Len() > 0
}

// carefulLocked is to be called when whether there are workers to spare, or too few, may have
// changed. If so, a cancellation takes the lock, as it may leave a worker without anything to wait
// for, or end a shortage; and likewise when the pool is to end once nothing waits.
func (cr *Crew) carefulLocked() {
	if p := cr.pool; p.waiting.shards != nil {
		p.waiting.shards.SetCareful(cr.surplusLocked() || p.runs.Short() || p.Life.stage != running)
	}
}

func (cr *Crew) resumeLocked() (resumed bool) {
	if resumed = cr.pause.on; resumed {
		cr.endPauseLocked()
		cr.notifyLocked(unread)
	}
	return resumed
}

// endPauseLocked ends a pause, if there is one, without telling the workers.
func (cr *Crew) endPauseLocked() {
	if cr.pause.timer != nil {
		cr.pause.timer.Stop()
	}
	over := cr.pause.over
	if cr.pause.on {
		over = cr.pool.clock.Now()
	}
	cr.pause = pause{number: cr.pause.number + 1, over: over}
	cr.pool.runs.HoldLocked(false)
}

// busyLocked is called when all workers are busy, unless the pool watches that already.
func (cr *Crew) busyLocked() {
	p := cr.pool
	if p.Life.stage != running {
		return
	}
	if !p.runs.Short() {
		cr.unstarted.noticed = 0
	}
	p.runs.BusyLocked()
}

// allBusyLocked reports whether no worker can take a task.
func (cr *Crew) allBusyLocked() bool {
	return cr.pool.loans.overdrawnLocked() ||
		len(cr.workers) >= cr.limitLocked() && cr.lot.Idle()+cr.lot.Coming() == 0
}

// lacksLocked reports whether what is due lacks a worker.
func (cr *Crew) lacksLocked() bool {
	return cr.pool.Life.stage == running && !cr.pause.on && cr.allBusyLocked()
}

// startWorkerLocked adds a worker and starts it.
func (cr *Crew) startWorkerLocked() { cr.addWorkerLocked().launchLocked() }

// addWorkerLocked adds a worker without a goroutine: the caller gives it one, with a task or
// without.
func (cr *Crew) addWorkerLocked() *worker {
	p := cr.pool
	cr.stayLocked()
	w := &worker{execution: p.newExecution(true), place: parking.NewWaiter()}
	cr.workers[w] = struct{}{}
	cr.carefulLocked()
	p.counts.largest = max(p.counts.largest, len(cr.workers))
	return w
}

// wantsBusyLocked reports whether another worker is needed even after those have come that are idle
// or on their way.
func (cr *Crew) wantsBusyLocked() bool {
	p := cr.pool
	waiting := p.waiting.queue.Len() - cr.lot.Idle() - cr.lot.Coming()
	switch {
	case waiting <= 0:
		return false
	case len(cr.workers) < max(cr.core, 1):
		return true
	}
	full := cr.capacity() != Unbounded && waiting+p.Door.outsideLocked() > cr.capacity()
	return (full || p.GrowFirst) && len(cr.workers) < cr.maximumSizeLocked()
}

// startBusyLocked starts a worker of a plain pool with the head of the queue as its first task, if
// there are more tasks than workers that are idle or on their way, and reports whether it did. So a
// task for which a worker is started counts as begun at once, as in the JDK, and cannot be dropped
// from the queue. A pool with an inbox does without: each submission would have to take the pool's
// lock for it.
func (cr *Crew) startBusyLocked() bool {
	if !cr.wantsBusyLocked() {
		return false
	}
	w := cr.addWorkerLocked()
	// The task may have been cancelled a moment ago; the worker then looks for another.
	if !w.startLocked(cr.pool.waiting.queue.Pop(unread).Cell, cr.pool.clock.Now()) {
		w.launchLocked()
		return true
	}
	// It has work, so it is never announced to the lot.
	w.arrived, w.begun = true, true
	go w.loop()
	return true
}
