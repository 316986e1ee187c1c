package pairs

import (
	"strings"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/trust/figures"
)

// checkSampleLocked compares what an executor tells of itself at a moment at which nothing goes on.
func (l *life) checkSampleLocked(s *sample, running []executor.Running, queued []executor.Pending) {
	wrong := &l.report.Wrong
	c := s.stats
	if len(running) != c.Busy {
		l.faultLocked(wrong, "%d are running, and %d are busy", len(running), c.Busy)
	}
	if l.pool != nil && len(queued) != c.Queued {
		l.faultLocked(wrong, "Queued lists %d tasks, and Stats %d", len(queued), c.Queued)
	}
	active := l.extraActive
	for _, r := range l.records {
		active += r.active
	}
	if active != c.Busy && !l.lapsed {
		l.faultLocked(wrong, "%d bodies are active, and %d are busy", active, c.Busy)
	}
	sum := c.Completed + c.Cancelled + c.Returned + uint64(c.Queued)
	if c.Accepted < sum || c.Accepted > sum+uint64(c.Busy) {
		l.faultLocked(wrong,
			"%d accepted; %d completed, %d cancelled, %d returned, %d queued, %d busy",
			c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Queued, c.Busy)
	}
	for _, bound := range []string{"PendingLimit", "BoundedFIFO", "Queue.Bounded"} {
		beyond := l.returnedLocked() + l.promisedLocked(c)
		if u := l.using(bound); u != nil && c.Queued > capacity(u)+beyond {
			l.faultLocked(wrong, "%d tasks wait, of at most %d", c.Queued, capacity(u))
		}
	}
}

// returnedLocked returns how many tasks wait for a run, or an attempt, that is not their first:
// these are never refused.
func (l *life) returnedLocked() (n int) {
	for _, r := range l.records {
		again := len(r.bodies) > 0 || r.t.using(byName["BeginWithin"]) != nil
		may := r.t.way.way&seriesWays != 0 || r.t.using(byName["Retry"]) != nil
		// Without a future it is not known whether the task has ended. What DiscardOldest has
		// dropped has left its room to a first run.
		waits := r.open() || r.outcome == nil || r.settledBy(executor.ErrSaturated)
		if r.active == 0 && again && may && waits {
			n++
		}
	}
	return n
}

// promisedLocked returns how many tasks may have been let in as a worker was about to begin them,
// and then the size of the pool was changed.
func (l *life) promisedLocked(c stats) int {
	if l.sizes && l.using("PendingLimit") == nil {
		return c.Largest
	}
	return 0
}

// checkFiguresLocked compares the figures of an executor that has ended.
func (l *life) checkFiguresLocked() {
	c := l.final.stats
	wrong := &l.report.Wrong
	same := func(what string, a, b uint64) {
		if a != b {
			l.faultLocked(wrong, "%s: %d and %d", what, a, b)
		}
	}
	same("queued at the end", uint64(c.Queued), 0)
	same("busy at the end", uint64(c.Busy), 0)
	same("accepted, and what has an end", c.Accepted, c.Completed+c.Cancelled+c.Returned)
	bodies, accepted, exact := uint64(l.extraRuns), uint64(l.extras), !l.lapsed
	// A cancellation at the same instant, or the end of a group, prevents a body.
	prevented := uint64(0)
	for _, r := range l.records {
		if r.cancelled >= 0 || r.contextEnded || r.t.using(byName["WithContext"]) != nil ||
			r.t.way.way&groupWays != 0 {
			prevented++
		}
		bodies += uint64(len(r.bodies))
		if r.accepted() {
			accepted++
		}
		exact = exact && r.t.way.way&bulkWays == 0 && !r.panicked && !r.applied()
	}
	if exact {
		if c.Runs < bodies || c.Runs > bodies+prevented {
			l.faultLocked(wrong, "runs, and bodies: %d and %d", c.Runs, bodies)
		}
		same("accepted, and submissions", c.Accepted, accepted)
	}
	if l.watch && !l.lapsed {
		for _, text := range l.disagreements() {
			if !strings.HasPrefix(text, "Stats are") && !strings.HasPrefix(text, "observers were") {
				l.faultLocked(wrong, "figures: %s", text)
			}
		}
	}
}

// disagreements returns where the executor tells two things of the same.
func (l *life) disagreements() []string {
	tape := l.written
	// A recording ends with its executor, before the latter says so.
	if l.cameAfter || l.final.stats.Rejected > 0 && l.refusedAt >= l.endedAt {
		tape = nil
	}
	switch {
	case l.loop != nil:
		return figures.OfLoop(l.loop, l.told, tape).Disagreements()
	case l.sched != nil:
		return figures.OfPool(l.sched, l.told, tape).Disagreements()
	}
	return figures.OfPool(l.pool, l.told, tape).Disagreements()
}
