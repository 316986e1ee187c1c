package pairs

// checkLaneLocked checks gaps and paces, and that a lane does not overlap itself.
func (a *audit) checkLaneLocked(r *record, b *bodyRun) {
	if lane := r.lane(); lane != 0 {
		all := a.journal.starts(lane)
		for _, s := range all[:len(all)-1] {
			if !s.b.over {
				a.found.duplicate("%v begins beside %v of its lane", r, s.r)
			}
		}
		if u := a.using("Gap"); u != nil && len(all) > 1 {
			last := all[len(all)-2]
			if last.r != r && b.began < last.b.ended+gap(u) {
				a.found.early("%v begins within the gap of %v after %v", r, gap(u),
					last.r)
			}
		}
		if u := a.using("Pace of a lane"); u != nil {
			a.checkPaceLocked(r, all, u)
		}
	}
	if u := a.using("Pace"); u != nil && !a.runsOutOfTurn() {
		a.checkPaceLocked(r, a.journal.starts(0), u)
	}
}

func (a *audit) checkPaceLocked(r *record, all []start, u *use) {
	if w := r.t.way.way; w&laneWays&^serialWays&w != 0 && u.Name == "Pace of a lane" {
		all = sinceIdle(all)
	}
	n, per := pace(u)
	if i := len(all) - 1 - n; i >= 0 && all[len(all)-1].b.began < all[i].b.began+per {
		a.found.early("%v begins ahead of the pace of %d in %v", r, n, per)
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
