package engine

import (
	"github.com/punctual-go/punctual/internal/parking"
)

// Overview: when a worker has taken a task, somebody else has to wait for the next one. To wake
// another worker for that takes longer than most bodies, so it is done only if the run may outlast
// it: if the last runs of the task did, or if nothing is known of it. Tasks that run once and have
// no options count as one, as they share a plan. Package parking has what happens when a run that
// was expected to be brief is not: its guard calls another. If the next task is farther away than
// that takes, nobody need be woken before, unless the runs are known to be long.

const (
	mostTook = 16 * parking.Cost // what a run counts for at most
	longMean = mostTook * 3 / 4  // from here on runs are known to be long
)

// learnLocked notes how long the run took that has just ended. The mean moves by an eighth of the
// difference, and a run counts as no more than sixteen times the bound. So one that blocks makes
// the task count as not brief for some five runs, and a short interruption by the system does not.
func (w *worker) learnLocked(now int64) {
	if w.bare || now == unread {
		return
	}
	took, mean := min(max(now-w.Task.Started, 1), mostTook), &w.Plan.Took
	if *mean == 0 {
		*mean = took
	}
	*mean += (took - *mean) / 8
}

// handOverLocked is called by a worker that has taken a task. It has another wait for the next one,
// or says that it will be back itself.
func (w *worker) handOverLocked(now int64) {
	p := w.pool
	head, brief := w.mayWatchLocked(now)
	if !brief {
		p.Crew.notifyLocked(now)
		return
	}
	w.watching = true
	w.watch = p.Crew.lot.Watch(p.Crew.lot.Space(head, p.Crew.slack), now, !w.isBrief())
}

// isBrief reports whether the runs of its task are known to be brief.
func (w *worker) isBrief() bool { return w.Plan.Took > 0 && w.Plan.Took < parking.Cost }

// mayWatchLocked reports whether nobody else need look at the head, which it returns, while w runs
// what it has taken.
func (w *worker) mayWatchLocked(now int64) (head int64, ok bool) {
	p := w.pool
	switch {
	case p.plain, w.bare, now == unread, w.Plan.Took >= longMean:
		return 0, false
	// If nobody is idle, one more worker may be wanted; and who waits for room may get it now.
	case p.Crew.lot.Idle() == 0, p.Door.blockedSubmitters.list.Len() > 0:
		return 0, false
	}
	head, due, _ := p.headLocked()
	switch {
	case due: // it was submitted to run now
		return 0, false
	case head == parking.Nothing, head-now > parking.GuardWithin:
		return head, true // even if it is not brief, somebody looks in time
	case !w.isBrief():
		return 0, false
	case head > now:
		return head, true
	}
	// More is due already. A call for help pays off once this worker has been at it for as long as
	// a call takes: as with rented skis, that costs at most twice what would be best. And a run may
	// be late by the slack anyway, besides what the system has made of it.
	within := max(parking.Cost, p.Crew.slack)
	early := now-w.awake < within && now-head-w.lag < within
	return head, early && !p.Crew.lot.Virtual() && !p.Crew.urgentLocked(head, now)
}
