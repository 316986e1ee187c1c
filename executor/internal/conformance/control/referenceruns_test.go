package control_test

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// begin begins a run or an attempt.
func (r *reference) begin() {
	r.free--
	switch {
	case r.run != nil:
		r.run.waits = false
	case r.extraFirst():
		r.extras++
		r.run = &currentRun{extra: true, counts: r.asked, first: r.now}
		r.asked = none
	default:
		r.planned++
		r.run = &currentRun{first: r.now}
		r.run.counts, r.run.missed = r.standFor()
	}
	c := r.run
	c.number = uint64(r.planned + r.extras)
	c.attempt++
	c.started, c.at = r.now, 0
	c.body = r.bodyOf(r.bodies)
	r.bodies++
	e := entry{at: r.now, scheduled: c.counts, number: c.number, missed: c.missed, extra: c.extra}
	if r.attempts > 0 {
		e.attempt = uint64(c.attempt)
	}
	c.begun = e
	r.log = append(r.log, e)
}

// standFor returns which time a planned run that begins now stands for, and what it has missed.
func (r *reference) standFor() (counts time.Duration, missed uint64) {
	if !r.rate {
		return r.next, 0
	}
	passed := r.passed()
	missed = r.missed + uint64(passed)
	switch {
	case passed == 0 || r.policy == executor.Burst:
		return r.next, missed
	case r.policy == executor.Shift && r.until > 0 && r.now >= r.until:
		return r.next, missed
	case r.policy == executor.Shift:
		r.slot = r.now
		return r.now, missed
	}
	counts = r.latest(passed)
	r.slot += passed * r.period
	return counts, missed
}

// bodyStep gives the next command of the body, or ends it.
func (r *reference) bodyStep() {
	c := r.run
	if c.at < len(c.body.commands) {
		cmd := c.body.commands[c.at]
		c.at++
		r.command(cmd)
		return
	}
	r.free++
	r.Runs++
	if c.body.ends == skips {
		r.Skipped++
	}
	if r.over {
		r.cancelledInRun()
		return
	}
	if wait, ok := r.triesAgain(); ok {
		r.Retries++
		c.waits, c.again = true, r.now+wait
		return
	}
	if r.endsSeries() {
		return
	}
	r.goesOn()
}

// cancelledInRun ends a run that goes on after the end of the series.
func (r *reference) cancelledInRun() {
	r.note()
	r.run = nil
}

// note notes the run in progress as the last one.
func (r *reference) note() {
	c := r.run
	r.lastRun, r.took, r.lastFailed = c.begun, r.now-c.started, c.body.fails()
	r.lastSkip = c.body.ends == skips
}

// view is what the series looks like from outside.
func (r *reference) view() view {
	v := view{
		paused: r.paused && !r.over, runs: uint64(r.planned + r.extras), next: none,
		last: r.lastRun, took: r.took, failed: r.lastFailed,
		skipped: r.lastSkip, outcome: r.end,
	}
	if due, ok := r.due(); ok {
		v.next = due
	}
	if due, ok := r.foreseen(); ok {
		v.next = due
	}
	return v
}

// foreseen returns when the run after the one in progress comes, unless only the end of that says.
func (r *reference) foreseen() (at time.Duration, ok bool) {
	switch {
	case !r.inBody() || r.over:
		return 0, false
	case r.run.restart != nil:
	case r.run.nextIn != nil:
		return 0, false
	case r.run.extra:
	case !r.rate && r.asked < 0, r.rate && r.stretch > 0:
		return 0, false
	}
	after, run := *r, *r.run // of which this run ends now
	run.body.ends, after.run = succeeds, &run
	if after.endsSeries() {
		return 0, false
	}
	after.goesOn()
	return after.due()
}

// triesAgain returns how long to wait for another attempt, if there is one.
func (r *reference) triesAgain() (wait time.Duration, ok bool) {
	c := r.run
	if !c.body.fails() || c.body.ends == panics || c.body.ends == permanent ||
		c.attempt >= r.attempts {
		return 0, false
	}
	wait = time.Duration(float64(r.wait) * math.Pow(r.factor, float64(c.attempt-1)))
	if r.most > 0 {
		wait = min(wait, r.most)
	}
	if c.body.ends == later {
		wait = max(c.body.after, 0)
	}
	return wait, r.within == 0 || r.now+wait-c.first < r.within
}

// endsSeries ends a run, and the series with it if this was the last.
func (r *reference) endsSeries() bool {
	c := r.run
	r.note()
	failed := c.body.fails()
	switch {
	case failed:
		r.Failures++
		r.failures++
		r.row++
	case c.body.ends == succeeds:
		r.failures, r.row = 0, 0
	}
	switch {
	case failed && (r.onError == executor.StopSeries ||
		r.onError == executor.StopOnPanic && c.body.ends == panics):
		r.end = failure
	case r.maxRuns > 0 && r.planned >= r.maxRuns:
		r.end = success
	default:
		return false
	}
	r.over, r.run = true, nil
	r.Completed++
	return true
}

// goesOn plans the next run after one that has not ended the series by itself.
func (r *reference) goesOn() {
	if r.run.extra {
		r.endExtra()
	} else {
		r.endPlanned()
	}
	r.run = nil
	if r.endsByTime() {
		return
	}
	if r.pauseAfter > 0 && r.row >= r.pauseAfter {
		r.paused = true
	}
}

// stretched returns the period, or more of it after failures in a row.
func (r *reference) stretched() time.Duration {
	if r.stretch == 0 || r.failures == 0 {
		return r.period
	}
	d := float64(r.period) * math.Pow(r.stretch, float64(r.failures))
	d = min(d, float64(r.stretchMost))
	if !r.rate {
		return time.Duration(d)
	}
	return max(time.Duration(d)/r.period, 1) * r.period
}

// endExtra leaves the plan as it is, unless the body has chosen another time.
func (r *reference) endExtra() {
	if d := r.run.nextIn; d != nil {
		r.chosen(*d)
	}
}

// endPlanned plans the next run.
func (r *reference) endPlanned() {
	c := r.run
	r.missed = c.dropped + c.lapsed
	every := r.stretched()
	if r.rate {
		r.last = r.slot
		r.slot += every
		switch r.policy {
		case executor.Skip:
			for r.slot < r.now {
				r.slot += r.period
				r.last += r.period
				r.missed++
			}
		case executor.Shift:
			if r.slot < r.now {
				r.missed += uint64((r.now - r.slot) / r.period)
				r.slot = r.now
			}
		}
	} else {
		r.last = r.now
		r.slot = r.now + every
	}
	r.next = r.slot
	switch { // a run that somebody has planned has missed nothing
	case c.restart != nil:
		r.slot = max(*c.restart, r.now)
		r.next, r.missed = r.slot, c.dropped+c.lapsed
	case c.nextIn != nil:
		r.chosen(*c.nextIn)
		r.missed = c.dropped + c.lapsed
	}
}

// chosen plans one run beside the grid.
func (r *reference) chosen(d time.Duration) {
	r.next = r.now + max(d, 0)
	if !r.rate {
		r.slot = r.next
		return
	}
	for r.slot > r.next {
		r.slot -= r.period
	}
	for r.slot+r.period <= r.next {
		r.slot += r.period
	}
}
