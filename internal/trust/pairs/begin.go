package pairs

import (
	"slices"
	"time"
)

// checkBeginLocked checks that a run may begin now: by its own time, its lane, its pace, and by
// what has been done to it.
func (l *life) checkBeginLocked(r *record, b *bodyRun) {
	early := &l.report.Early
	if b.began < b.due {
		l.faultLocked(early, "%v: a run due at %v begins", r, b.due)
	}
	if l.hasEnded {
		l.faultLocked(&l.report.Duplicate, "%v begins after the end of the executor", r)
	}
	if r.cancelled >= 0 && b.began > r.cancelled && r.t.way.way != wApply {
		l.faultLocked(&l.report.Duplicate, "%v begins, and was cancelled at %v", r, r.cancelled)
	}
	l.checkOwnTimeLocked(r, b)
	l.checkLimitsLocked(r, b)
	l.checkLaneLocked(r, b)
	l.checkPausesLocked(r, b)
}

// checkOwnTimeLocked checks a run against the time that its submission asked for.
func (l *life) checkOwnTimeLocked(r *record, b *bodyRun) {
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
	switch {
	case last != nil && last.d > 0 && len(before) == 0 && !r.applied() &&
		r.lastMove("Trigger") == nil:
		if b.began < last.from+last.d && last.at < b.began {
			l.faultLocked(&l.report.Early, "%v begins, and was reset at %v to %v later", r, last.at,
				last.d)
		}
	case len(r.moves) > 0:
	case b.began < first:
		l.faultLocked(&l.report.Early, "%v begins before its first time, %v", r, first)
	case t.way.way&(wEvery|wRate) != 0 && !t.irregular() && (b.due-first)%t.period != 0:
		l.faultLocked(&l.report.Wrong, "%v: a run due at %v is not on the grid", r, b.due)
	case t.way.way == wOn && !t.irregular() && (b.due-first-ms)%t.period != 0:
		l.faultLocked(&l.report.Wrong, "%v: a run due at %v is not on the calendar", r, b.due)
	case t.way.way == wDelay && !t.irregular() && len(before) > 0 &&
		b.began < before[len(before)-1].ended+t.period:
		l.faultLocked(&l.report.Early, "%v begins too soon after the last run", r)
	}
}

// onWallClock reports whether a run shows the time that its calendar says, without its jitter.
func (t *task) onWallClock() bool {
	return t.way.way == wOn || t.using(byName["WallClock"]) != nil
}

// jitter returns how much later than planned a run may come, at most.
func jitter(u *use) time.Duration { return ms * time.Duration(1+u.pick(0, 8)) }

// ticks reports whether a series is one of Every, whose first run comes after one period.
func (t *task) ticks() bool {
	return t.way.way == wEvery || t.way.way == wApply && t.way.pick(2, 3) == 0
}

// irregular reports whether a series has options that change when its runs come.
func (t *task) irregular() bool {
	for _, name := range []string{"From", "Jitter", "SlowDown", "DelayBy", "CatchUp"} {
		if t.using(byName[name]) != nil {
			return true
		}
	}
	for _, f := range t.bodies {
		if f.Name == "NextIn" {
			return true
		}
	}
	return false
}

// checkLimitsLocked checks the options that bound when, and how often, a task runs.
func (l *life) checkLimitsLocked(r *record, b *bodyRun) {
	t := r.t
	own := b.due
	if b.known { // it may have waited for room, or for its turn in a group, to be submitted
		own = max(own, b.run.Scheduled.Sub(l.start))
	}
	if u := t.using(byName["Jitter"]); u != nil && t.onWallClock() {
		own += jitter(u)
	}
	if u := t.using(byName["BeginWithin"]); u != nil && b.run.Attempt <= 1 &&
		b.began > own+within(u) &&
		!b.run.Triggered {
		l.faultLocked(&l.report.Late, "%v: a run due at %v begins, which had to be within %v", r,
			b.due, within(u))
	}
	if u := t.using(byName["Until"]); u != nil && t.way.way&seriesWays != 0 && b.due >= until(t,
		u) &&
		!b.run.Triggered && b.run.Attempt <= 1 && t.way.way != wApply {
		l.faultLocked(&l.report.Late, "%v: a run is planned for %v, at or after %v", r, b.due,
			until(t, u))
	}
	if u := t.using(byName["From"]); u != nil && t.way.way&seriesWays != 0 && b.began < from(t,
		u) &&
		!b.run.Triggered && r.lastMove("Reset") == nil {
		l.faultLocked(&l.report.Early, "%v begins before %v", r, from(t, u))
	}
	if u := t.using(byName["MaxRuns"]); u != nil && t.way.way&seriesWays != 0 &&
		t.way.way != wApply &&
		r.planned() > maxRuns(u) {
		l.faultLocked(&l.report.Duplicate, "%v has had more runs than %d", r, maxRuns(u))
	}
	if u := t.using(byName["Retry"]); u != nil && b.run.Attempt > uint64(2+u.pick(0, 2)) {
		l.faultLocked(&l.report.Duplicate, "%v has too many attempts", r)
	}
	if t.way.way&(seriesWays|bulkWays) == 0 && t.using(byName["Retry"]) == nil &&
		len(r.bodies) > 1 {
		l.faultLocked(&l.report.Duplicate, "%v runs again", r)
	}
}

// checkLaneLocked checks gaps and paces, and that a lane does not overlap itself.
func (l *life) checkLaneLocked(r *record, b *bodyRun) {
	if lane := r.lane(); lane != 0 {
		all := l.starts(lane)
		for _, s := range all[:len(all)-1] {
			if !s.b.over {
				l.faultLocked(&l.report.Duplicate, "%v begins beside %v of its lane", r, s.r)
			}
		}
		if u := l.using("Gap"); u != nil && len(all) > 1 {
			last := all[len(all)-2]
			if last.r != r && b.began < last.b.ended+gap(u) {
				l.faultLocked(&l.report.Early, "%v begins within the gap of %v after %v", r, gap(u),
					last.r)
			}
		}
		if u := l.using("Pace of a lane"); u != nil {
			l.checkPaceLocked(r, all, u)
		}
	}
	if u := l.using("Pace"); u != nil && !l.runsOutOfTurn() {
		l.checkPaceLocked(r, l.starts(0), u)
	}
}

func (l *life) checkPaceLocked(r *record, all []start, u *use) {
	if w := r.t.way.way; w&laneWays&^serialWays&w != 0 && u.Name == "Pace of a lane" {
		all = sinceIdle(all)
	}
	n, per := pace(u)
	if i := len(all) - 1 - n; i >= 0 && all[len(all)-1].b.began < all[i].b.began+per {
		l.faultLocked(&l.report.Early, "%v begins ahead of the pace of %d in %v", r, n, per)
	}
}

// sinceIdle returns the last starts of a key since it had no task: then it is forgotten, and with
// it how it was paced.
func sinceIdle(all []start) []start {
	for i := len(all) - 1; i > 0; i-- {
		if all[i].r.submitted >= all[i-1].b.ended {
			return all[i:]
		}
	}
	return all
}

// runsOutOfTurn reports whether tasks may run that a pause or a pace would hold up: because others
// wait for them, or because their submitters run them.
func (l *life) runsOutOfTurn() bool {
	for _, u := range l.uses {
		if u.Name == "CallerRuns" || u.Name == "Block" || u.Name == "own policy" {
			return true
		}
	}
	for _, c := range l.commands {
		if c.Name == "SetRejectionPolicy" {
			return true
		}
	}
	for _, t := range l.tasks {
		for _, f := range t.bodies {
			if f.Name == "body waits for a task" {
				return true
			}
		}
	}
	return false
}

// checkPausesLocked checks that nothing begins in a pause, of its own or of the pool.
func (l *life) checkPausesLocked(r *record, b *bodyRun) {
	for _, p := range l.pausedSpans {
		if p.from < b.began && b.began < p.to && !l.runsOutOfTurn() {
			l.faultLocked(&l.report.Early, "%v begins, though the executor is paused since %v", r,
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
				l.faultLocked(&l.report.Early, "%v begins, though it is paused since %v", r, m.at)
			}
			return
		}
	}
}

func (r *record) lastMove(what string) *move {
	for i := len(r.moves) - 1; i >= 0; i-- {
		if r.moves[i].what == what {
			return &r.moves[i]
		}
	}
	return nil
}

// applied reports whether the task is a job that was applied again.
func (r *record) applied() bool {
	n := 0
	for _, m := range r.moves {
		if m.what == "apply" {
			n++
		}
	}
	return n > 1
}

// checkPunctual checks that nothing was late while a worker was free.
func (l *life) checkPunctual() {
	if l.sizes || l.has("Pace") || l.has("Slack") || l.single {
		return
	}
	l.eachLate(0, func(r *record, b *bodyRun) {
		due := b.due
		if r.t.way.way&(delayedWays|wTurn) == 0 && b.run.Attempt <= 1 {
			due = max(due, r.answeredAt)
		}
		if r.lane() != 0 || b.began <= due || l.pausedBetween(due, b.began) || r.tainted ||
			len(r.moves) > 0 ||
			b.run.Triggered || r.panicked || r.t.onWallClock() &&
			r.t.using(byName["Jitter"]) != nil {
			return
		}
		if len(r.bodies) > 0 {
			for _, o := range r.bodies {
				if o != b && o.began <= b.began && o.ended > due {
					due = max(due, o.ended) // it waited for its own last run
				}
			}
		}
		if at, free := l.freeBetween(due, b.began); free {
			l.faultLocked(&l.report.Late,
				"%v: a run due at %v began at %v, and a worker was free at %v",
				r, due, b.began, at)
		}
	})
}

func (l *life) pausedBetween(from, to time.Duration) bool {
	for _, p := range l.pausedSpans {
		if p.from <= to && p.to >= from {
			return true
		}
	}
	return false
}

// freeBetween returns a time at which a worker was free and time passed.
func (l *life) freeBetween(from, to time.Duration) (time.Duration, bool) {
	if from >= to {
		return 0, false
	}
	times := []time.Duration{from}
	for _, r := range l.records {
		for _, b := range r.bodies {
			if b.ended > from && b.ended < to {
				times = append(times, b.ended)
			}
		}
	}
	for _, at := range times {
		if !l.busyAt(at) {
			return at, true
		}
	}
	return 0, false
}
