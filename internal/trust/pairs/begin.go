package pairs

import (
	"slices"
	"time"
)

// checkBeginLocked checks that a run may begin now: by its own time, its lane, its pace, and by
// what has been done to it.
func (a *audit) checkBeginLocked(r *record, b *bodyRun) {
	if r.active > 1 && r.t.way.way&bulkWays == 0 {
		a.found.duplicate("%v runs beside itself", r)
	}
	if b.began < b.due {
		a.found.early("%v: a run due at %v begins", r, b.due)
	}
	if a.course.hasEnded() {
		a.found.duplicate("%v begins after the end of the executor", r)
	}
	if r.cancelled >= 0 && b.began > r.cancelled && r.t.way.way != wApply {
		a.found.duplicate("%v begins, and was cancelled at %v", r, r.cancelled)
	}
	a.checkOwnTimeLocked(r, b)
	a.checkLimitsLocked(r, b)
	a.checkLaneLocked(r, b)
	a.checkPausesLocked(r, b)
}

// checkOwnTimeLocked checks a run against the time that its submission asked for.
func (a *audit) checkOwnTimeLocked(r *record, b *bodyRun) {
	t := r.t
	if t.way.way&delayedWays == 0 || b.run.Attempt > 1 || b.run.Triggered {
		return
	}
	first := r.submitted + t.delay
	if t.way.way == wScheduleAt || t.way.way == wOn {
		first = t.at + t.delay
	}
	last := r.lastMove("Reset")
	before := slices.DeleteFunc(slices.Clone(r.bodies[:len(r.bodies)-1]),
		func(b *bodyRun) bool { return b.run.Triggered }) // the plan stays as it is
	since, goesOn := r.goesOn()
	switch {
	case last != nil && last.d > 0 && len(before) == 0 && !r.applied() &&
		r.lastMove("Trigger") == nil:
		if b.began < last.from+last.d && last.at < b.began {
			a.found.early("%v begins, and was reset at %v to %v later", r, last.at,
				last.d)
		}
	case len(r.moves) > 0:
	case goesOn:
		if t.way.way&(wEvery|wRate) != 0 && !t.irregularBut("Since", "SinceLast") && (b.due-since)%t.period != 0 {
			a.found.wrong("%v: a run due at %v is not on the grid of that at %v", r, b.due, since)
		}
	case b.began < first:
		a.found.early("%v begins before its first time, %v", r, first)
	case t.way.way&(wEvery|wRate) != 0 && !t.irregular() && (b.due-first)%t.period != 0:
		a.found.wrong("%v: a run due at %v is not on the grid", r, b.due)
	case t.way.way == wOn && !t.irregular() && (b.due-first-ms)%t.period != 0:
		a.found.wrong("%v: a run due at %v is not on the calendar", r, b.due)
	case t.way.way == wDelay && !t.irregular() && len(before) > 0 &&
		b.began < before[len(before)-1].ended+t.period:
		a.found.early("%v begins too soon after the last run", r)
	}
}

// goesOn returns the time of the last run before the submission, or false if nothing is said of it.
func (r *record) goesOn() (last time.Duration, says bool) {
	for _, u := range r.t.options { // the last one counts
		if (u.Name == "Since" || u.Name == "SinceLast") && r.t.way.way&seriesWays != 0 {
			last, says = since(r.t, u), true
		}
	}
	return last, says
}

// checkPausesLocked checks that nothing begins in a pause, of its own or of the pool.
func (a *audit) checkPausesLocked(r *record, b *bodyRun) {
	for _, p := range a.course.pausesAround(b.began) {
		if !a.runsOutOfTurn() {
			a.found.early("%v begins, though the executor is paused since %v", r,
				p.from)
		}
	}
	if r.t.way.way&seriesWays == 0 || b.run.Triggered || b.run.Attempt > 1 || r.applied() {
		return
	}
	for i := len(r.moves) - 1; i >= 0; i-- {
		switch m := r.moves[i]; m.what {
		case "Resume":
			return
		case "Pause":
			if m.at < b.began {
				a.found.early("%v begins, though it is paused since %v", r, m.at)
			}
			return
		}
	}
}
