package executor

import (
	"github.com/punctual-go/punctual/internal/parking"
)

// Overview: when a worker has taken a task, somebody else has to wait for the next one. To wake
// another worker for that takes longer than most bodies, so it is done only if the run may outlast
// it: if the last runs of the task did, or if nothing is known of it. Package parking has what
// happens when a run that was expected to be brief is not.

// learnLocked notes how long the run took that has just ended. The mean moves by an eighth of the
// difference, and a run counts as no more than eight times the bound: so one that blocks makes the
// task count as long for a few runs, and one that the system has interrupted does not.
func (w *worker) learnLocked(now int64) {
	if w.bare || now == unread {
		return
	}
	took, mean := min(max(now-w.Task.Started, 1), 8*parking.Cost), &w.Plan.Took
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
		p.notifyLocked(now)
		return
	}
	w.watching = true
	p.lot.Watch(p.lookAtLocked(head), now)
}

// mayWatchLocked reports whether nobody else need look at the head, which it returns, while w runs
// what it has taken.
func (w *worker) mayWatchLocked(now int64) (head int64, ok bool) {
	p := w.pool
	switch {
	case p.plain, w.bare, now == unread, w.Plan.Took == 0, w.Plan.Took > parking.Cost:
		return 0, false
	// If nobody is idle, one more worker may be wanted; and who waits for room may get it now.
	case p.lot.Idle() == 0, p.blockedSubmitters.list.Len() > 0:
		return 0, false
	}
	head, due, _ := p.headLocked()
	switch {
	case due: // it was submitted to run now
		return 0, false
	case head == parking.Nothing, head > now:
		return head, true
	}
	// More is due already. To call for help pays once this worker has been at it for as long as
	// that takes, which is at most twice what somebody would take who knew how much there is: the
	// ski rental problem. And what may be late may wait for that long, too.
	return head, !p.lot.Virtual() && now-w.awake < max(parking.Cost, p.slack)
}

// backLocked ends what handOverLocked has begun.
func (w *worker) backLocked() {
	if w.watching {
		w.watching = false
		w.pool.lot.Back()
	}
}

// lookAtLocked returns when somebody has to look at a head that is not due: at its time, or later
// by as much as the slack allows.
func (p *Pool) lookAtLocked(head int64) int64 { return p.lot.Space(head, p.slack) }
