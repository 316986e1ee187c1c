package pairs

// checkLimitsLocked checks the options that bound when, and how often, a task runs.
func (a *audit) checkLimitsLocked(r *record, b *bodyRun) {
	t := r.t
	own := b.due
	if b.known { // it may have waited for room, or for its turn in a group, to be submitted
		own = max(own, b.run.Scheduled.Sub(a.start))
	}
	if u := t.using(byName["Jitter"]); u != nil && t.onWallClock() {
		own += jitter(u)
	}
	if u := t.using(byName["BeginWithin"]); u != nil && b.run.Attempt <= 1 &&
		b.began > own+within(u) &&
		!b.run.Triggered {
		a.found.late("%v: a run due at %v begins, which had to be within %v", r,
			b.due, within(u))
	}
	if u := t.using(byName["Until"]); u != nil && t.way.way&seriesWays != 0 && b.due >= until(t,
		u) &&
		!b.run.Triggered && b.run.Attempt <= 1 && t.way.way != wApply {
		a.found.late("%v: a run is planned for %v, at or after %v", r, b.due,
			until(t, u))
	}
	if u := t.using(byName["From"]); u != nil && t.way.way&seriesWays != 0 && b.began < from(t,
		u) &&
		!b.run.Triggered && r.lastMove("Reset") == nil {
		a.found.early("%v begins before %v", r, from(t, u))
	}
	if u := t.using(byName["MaxRuns"]); u != nil && t.way.way&seriesWays != 0 &&
		t.way.way != wApply &&
		r.planned() > maxRuns(u) {
		a.found.duplicate("%v has had more runs than %d", r, maxRuns(u))
	}
	if u := t.using(byName["Retry"]); u != nil && b.run.Attempt > uint64(2+u.pick(0, 2)) {
		a.found.duplicate("%v has too many attempts", r)
	}
	if t.way.way&(seriesWays|bulkWays) == 0 && t.using(byName["Retry"]) == nil &&
		len(r.bodies) > 1 {
		a.found.duplicate("%v runs again", r)
	}
}
