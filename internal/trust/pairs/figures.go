package pairs

import (
	"strings"

	"github.com/punctual-go/punctual/executor"
)

// checkSampleLocked compares what an executor tells of itself at a moment at which nothing goes on.
func (a *audit) checkSampleLocked(
	s *sample, running []executor.Running, queued []executor.Pending,
) {
	c := s.stats
	if len(running) != c.Busy {
		a.found.wrong("%d are running, and %d are busy", len(running), c.Busy)
	}
	if a.host.pool != nil && len(queued) != c.Queued {
		a.found.wrong("Queued lists %d tasks, and Stats %d", len(queued), c.Queued)
	}
	active := 0
	for _, r := range a.journal.records {
		active += r.active
	}
	if active != c.Busy && !a.callbacks.haveLapsed() {
		a.found.wrong("%d bodies are active, and %d are busy", active, c.Busy)
	}
	sum := c.Completed + c.Cancelled + c.Returned + uint64(c.Queued)
	if c.Accepted < sum || c.Accepted > sum+uint64(c.Busy) {
		a.found.wrong("%d accepted; %d completed, %d cancelled, %d returned, %d queued, %d busy",
			c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Queued, c.Busy)
	}
	for _, bound := range []string{"PendingLimit", "BoundedFIFO", "Queue.Bounded"} {
		beyond := a.returnedLocked() + a.promisedLocked(c)
		if u := a.using(bound); u != nil && c.Queued > capacity(u)+beyond {
			a.found.wrong("%d tasks wait, of at most %d", c.Queued, capacity(u))
		}
	}
}

// returnedLocked returns how many tasks wait for a run, or an attempt, that is not their first:
// these are never refused.
func (a *audit) returnedLocked() (n int) {
	for _, r := range a.journal.records {
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
// and then the size of the pool was changed, or the pool was paused.
func (a *audit) promisedLocked(c stats) int {
	if (a.course.wasResized() || a.course.wasPaused()) && a.using("PendingLimit") == nil {
		return c.Largest
	}
	return 0
}

// checkFiguresLocked compares the figures of an executor that has ended.
func (a *audit) checkFiguresLocked() {
	c := a.gauges.final.stats
	same := func(what string, x, y uint64) {
		if x != y {
			a.found.wrong("%s: %d and %d", what, x, y)
		}
	}
	same("queued at the end", uint64(c.Queued), 0)
	same("busy at the end", uint64(c.Busy), 0)
	same("accepted, and what has an end", c.Accepted, c.Completed+c.Cancelled+c.Returned)
	extras, extraRuns := a.extras.count()
	accepted, bodies, exact := uint64(extras), uint64(extraRuns), !a.callbacks.haveLapsed()
	// A cancellation at the same instant, or the end of a group, prevents a body.
	prevented := uint64(0)
	// Those that may have exceeded their timeout just then, or were cancelled, may count otherwise.
	skipped, unsure := uint64(0), uint64(0)
	for _, r := range a.journal.records {
		skipped += uint64(r.skipped())
		if r.t.using(byName["Timeout"]) != nil || a.has("Defaults") || r.cancelled >= 0 ||
			r.contextEnded || r.t.using(byName["WithContext"]) != nil ||
			r.t.way.way&groupWays != 0 {
			unsure += uint64(r.skipped())
		}
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
			a.found.wrong("runs, and bodies: %d and %d", c.Runs, bodies)
		}
		same("accepted, and submissions", c.Accepted, accepted)
		if c.Skipped > skipped || c.Skipped+unsure < skipped {
			a.found.wrong("skipped runs, and bodies that say so: %d and %d", c.Skipped, skipped)
		}
	}
	if a.watch && !a.callbacks.haveLapsed() {
		for _, text := range a.disagreements() {
			if !strings.HasPrefix(text, "Stats are") && !strings.HasPrefix(text, "observers were") {
				a.found.wrong("figures: %s", text)
			}
		}
	}
}

// disagreements returns where the executor tells two things of the same.
func (a *audit) disagreements() []string {
	tape := a.gauges.written
	// A recording ends with its executor, before the latter says so.
	c := a.course
	if c.cameAfter || a.gauges.final.stats.Rejected > 0 && c.refusedAt >= c.endedAt {
		tape = nil
	}
	return a.host.disagreements(a.gauges.told, tape)
}
