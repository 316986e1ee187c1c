package simulate

import "time"

// helpDelay is how long a host hesitates before it first helps without certainty.
const helpDelay = 10 * time.Millisecond

// advanceLocked is that of the timeline, and checks liveness: while time passes nothing can
// run, so no free worker may sit beside a task that is due, and no run that its host knows to wait
// may wait for a task that could run in its place.
func (u *judge) advanceLocked() time.Duration {
	last, heldUp := u.lastChange, u.heldUp
	now := u.timeline.advanceLocked()
	if now == last || heldUp > 0 || !u.exact() || u.callbacks.slow {
		return now
	}
	for _, w := range u.waits {
		u.checkHelpLocked(w, last, now)
	}
	for _, j := range u.jobs[u.audited:] {
		h := j.on.base
		if j.runnableSince(last) && !j.on.serialized && h.runs < h.core && !h.ended && !j.reported {
			j.reported = true
			u.faultLocked(&u.report.Late, "task %v has been there since %v, beside %d runs of %d",
				j, j.readyAt, h.runs, h.core)
		}
	}
	return now
}

// runnableSince reports whether j has been queued and due since then, and has not begun.
func (j *job) runnableSince(since time.Duration) bool {
	return j.submitted && j.readyAt <= since && j.begun == 0 && !j.inHook && !j.interrupted &&
		!j.settled()
}

// checkHelpLocked checks that w could not be helped from last to now, during which it went on.
func (u *judge) checkHelpLocked(w *wait, last, now time.Duration) {
	h := w.host
	waits, runs, begins := false, false, false // that is, anew
	for _, j := range w.targets {
		waits = waits || j.runnableSince(last) && !j.on.serialized && j.delay == 0
		runs = runs || j.inBody || j.inHook && !j.ended
		begins = begins || j.ended
	}
	certainly, _ := w.scope.helpedLocked(h)
	switch {
	case !waits, runs, h.ended, h.loop != nil, w.reported, !h.mayHelp(w.ownRun), !w.ownRun &&
		(!certainly || begins):
		w.helpableFrom = -1
	case w.ownRun:
		w.reported = true
		u.faultLocked(&u.report.Late, "%v is not helped from %v on: %d active of %d", w.call, last,
			h.active, h.size)
	case w.helpableFrom < 0:
		w.helpableFrom = last
		fallthrough
	default:
		if end := w.from + 2*(w.helpableFrom-w.from) + helpDelay; now > end {
			w.reported = true
			u.faultLocked(&u.report.Late,
				"%v, which waits since %v, is not helped by %v: %d active of %d",
				w.call, w.from, end, h.active, h.size)
		}
	}
}

// advanceLocked shadows that of the timeline, as the judge has to see all time that passes; the
// lock is held.
func (p *program) advanceLocked() time.Duration { return p.judge.advanceLocked() }
