package pairs

import (
	"slices"

	"github.com/punctual-go/punctual/executor"
)

// checkNumbersLocked checks the numbers of the runs, and that no period is lost.
func (a *audit) checkNumbersLocked(r *record) {
	if r.applied() || r.t.way.way&bulkWays != 0 {
		return
	}
	missed := !r.t.irregularBut("CatchUp", "Since", "SinceLast") && len(r.moves) == 0 &&
		r.t.way.way&(wEvery|wRate) != 0
	policy := executor.Burst
	if r.t.ticks() {
		policy = executor.Coalesce
	}
	if u := r.t.using(byName["CatchUp"]); u != nil {
		policy = catchUp(r.t, u)
	}
	for i, b := range r.bodies {
		if !b.known {
			continue
		}
		if i > 0 && b.run.Attempt <= 1 && b.run.Number <= r.bodies[i-1].run.Number {
			a.found.wrong("%v: run %d follows run %d", r, b.run.Number,
				r.bodies[i-1].run.Number)
		}
		if b.run.Attempt > 1 && i > 0 && b.run.Number != r.bodies[i-1].run.Number {
			a.found.wrong("%v: an attempt of run %d has number %d", r,
				r.bodies[i-1].run.Number, b.run.Number)
		}
		if b.run.Attempt > 1 && i > 0 && r.bodies[i-1].skipped() {
			a.found.wrong("%v: run %d was skipped, and is tried again", r, b.run.Number)
		}
		if !missed || b.run.Triggered || b.run.Attempt > 1 {
			continue
		}
		before := r.submitted + r.t.delay - r.t.period
		if last, goesOn := r.goesOn(); goesOn {
			before = last
		}
		for _, earlier := range r.bodies[:i] {
			if earlier.run.Attempt <= 1 && !earlier.run.Triggered {
				before = earlier.due
			}
		}
		// Those that were skipped, or have expired; and in a burst those that are overdue as well.
		want := uint64((b.due-before)/r.t.period) - 1
		if i > 0 && r.t.using(byName["SinceLast"]) != nil { // less runs that could not be recorded
			want -= b.run.Number - r.bodies[i-1].run.Number - 1
		}
		switch policy {
		case executor.Burst:
			want += uint64((b.began - b.due) / r.t.period)
			if r.t.using(byName["Until"]) == nil && r.t.using(byName["MaxRuns"]) == nil &&
				b.run.Missed != want {
				a.found.wrong("%v: run %d has missed %d of %d", r, b.run.Number,
					b.run.Missed, want)
			}
		case executor.Skip, executor.Coalesce:
			if b.run.Missed != want {
				a.found.wrong("%v: run %d, due at %v, has missed %d of %d", r,
					b.run.Number,
					b.due, b.run.Missed, want)
			}
		}
	}
}

// irregularBut is irregular, some options apart.
func (t *task) irregularBut(names ...string) bool {
	c := *t
	c.options = slices.DeleteFunc(slices.Clone(t.options),
		func(u *use) bool { return slices.Contains(names, u.Name) })
	return c.irregular()
}
