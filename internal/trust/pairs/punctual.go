package pairs

// checkPunctualLocked checks that nothing was late while a worker was free.
func (a *audit) checkPunctualLocked() {
	if a.course.wasResized() || a.has("Pace") || a.has("Slack") || a.single {
		return
	}
	a.journal.eachLate(0, func(r *record, b *bodyRun) {
		due := b.due
		_, goesOn := r.goesOn() // what was due before the submission begins after it
		if (r.t.way.way&(delayedWays|wTurn) == 0 || goesOn) && b.run.Attempt <= 1 {
			due = max(due, r.answeredAt)
		}
		if r.lane() != 0 || b.began <= due || a.course.pausedBetween(due, b.began) || r.tainted ||
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
		if at, free := a.journal.freeBetween(due, b.began, a.size); free {
			a.found.late("%v: a run due at %v began at %v, and a worker was free at %v",
				r, due, b.began, at)
		}
	})
}
