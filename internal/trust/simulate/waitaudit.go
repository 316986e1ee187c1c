package simulate

import (
	"slices"
	"time"

	"github.com/punctual-go/punctual/future"
)

// selfWaits counts unsettled tasks for which a wait would be a wait for oneself.
type selfWaits struct{ certainly, perhaps, unsettled int }

// selfWaitsLocked counts them for the caller; the lock is held.
func (u *judge) selfWaitsLocked(s scope, targets []*job) (n selfWaits) {
	g := u.threads.goroutineLocked()
	defer u.threads.forgetLocked(g)
	for _, t := range targets {
		if t.future != nil && t.settled() || t.future == nil && t.ended {
			continue
		}
		n.unsettled++
		certainly, perhaps := false, false
		for _, f := range g.frames {
			if t.comesAfter(f.job) {
				certainly, perhaps = true, true
			}
		}
		for _, r := range s.endsWith {
			if t.comesAfter(r) {
				c, q := r.runLive()
				certainly, perhaps = certainly || c, perhaps || q
			}
		}
		if certainly {
			n.certainly++
		}
		if perhaps {
			n.perhaps++
		}
	}
	return n
}

// comesAfter reports whether j cannot end before the run of another.
func (j *job) comesAfter(run *job) bool {
	return j == run || j.on == run.on && j.on.serialized
}

// checkWaitLocked checks the end of a wait; the lock is held.
func (u *judge) checkWaitLocked(w *wait, before, after selfWaits, now time.Duration, err error) {
	c := w.call
	self := isError(err, future.ErrSelfWait)
	timely := u.exact() && !u.callbacks.slow
	switch {
	case c.method.bulk():
		if self && before.perhaps == 0 {
			u.faultLocked(&u.report.Stuck, "%v is told that it waits for itself", c)
		}
		return
	case self && before.perhaps == 0 && after.perhaps == 0:
		u.faultLocked(&u.report.Stuck, "%v is told that it waits for itself", c)
	case self && timely && now != w.from:
		u.faultLocked(&u.report.Late, "%v is told at %v that it waits for itself", c, w.from)
	case self:
	case after.unsettled == len(w.targets) && after.certainly == after.unsettled &&
		before.certainly == before.unsettled &&
		w.scope.live() && !(c.method == gettingFor && c.limit == 0):
		u.faultLocked(&u.report.Stuck, "%v is not told that it waits for itself: %v", c,
			errorText(err))
	case after.unsettled > 0 && c.method == gettingFor:
		if !isError(err, future.ErrTimeout) && !u.anySettled(w) {
			u.faultLocked(&u.report.Lost, "%v ends: %v", c, errorText(err))
		}
		if now < w.from+c.limit && !u.anySettled(w) {
			u.faultLocked(&u.report.Early, "%v gives up since %v", c, w.from)
		}
	case after.unsettled == len(w.targets) && w.scope.live():
		u.faultLocked(&u.report.Lost, "%v ends, though its context has not: %v", c, errorText(err))
	}
	confined := w.ownRun && w.host.exclusive // it may have to wait for its place
	if !timely || confined {
		return
	}
	switch {
	case c.method == gettingFor && now > w.from+c.limit:
		u.faultLocked(&u.report.Late, "%v from %v on goes on", c, w.from)
	case c.method != gettingFor && w.scope.deadline > 0 && now > max(w.scope.deadline, w.from):
		u.faultLocked(&u.report.Late, "%v from %v on goes on after %v", c, w.from, w.scope.deadline)
	}
}

func (u *judge) anySettled(w *wait) bool {
	return slices.ContainsFunc(w.targets, func(j *job) bool { return j.settled() })
}
