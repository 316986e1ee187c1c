package engine

import (
	"slices"

	"github.com/punctual-go/punctual/executor/internal/runqueue"
)

// handBackRunsLocked hands back the series that are in a run which was not to be their last: the
// run goes on, and no other follows. They count as returned from here on, however the run ends,
// which settles their futures.
func (lf *Life) handBackRunsLocked() (series []Pending) {
	p := lf.pool
	now := p.clock.Now()
	for x := range p.Crew.executionsLocked() {
		// Between two tasks, and so not in a run.
		if x.Task == nil {
			continue
		}
		pl := planOf(x.Task)
		if !p.runs.HandBackLocked(x.Task, &pl.Plan, now) {
			continue
		}
		p.counts.returned++
		// The cell has the time of the run in progress, the report that of the next.
		pending := p.Views.pendingOfLocked(x.Task)
		pending.Scheduled, _ = p.runs.UpcomingLocked(&pl.Plan, now)
		series = append(series, pending)
	}
	slices.SortFunc(series, Pending.compare)
	return series
}

// compare orders dropped tasks by time. A task without one comes first if it was given to Execute,
// when it was due at an unknown time, and last if it is a series whose next run was not planned
// yet.
func (t Pending) compare(other Pending) int {
	if late, other := t.unplanned(), other.unplanned(); late != other {
		if late {
			return 1
		}
		return -1
	}
	return t.Scheduled.Compare(other.Scheduled)
}

// unplanned reports whether t is a series without a time.
func (t Pending) unplanned() bool { return t.Periodic && t.Scheduled.IsZero() }

// Joined merges two sorted lists of dropped tasks. At equal times those of the first come first.
func Joined(first, second []Pending) []Pending {
	return runqueue.Interleave(first, second, func(b, a Pending) bool { return b.compare(a) < 0 })
}
