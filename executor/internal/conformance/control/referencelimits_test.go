package control_test

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// planIsOver reports whether the next planned run would come at the end of the series or later.
func (r *reference) planIsOver() bool { return r.until > 0 && (r.next >= r.until || r.slot >= r.until) }

// endsByTime ends a series that has no run to wait for any more, and reports whether it did.
func (r *reference) endsByTime() bool {
	if !r.planIsOver() && !(r.paused && r.until > 0 && r.now >= r.until) {
		return false
	}
	r.over, r.end = true, success
	r.Completed++
	return true
}

// passed returns how many periods have passed since the planned time, before the end of the series.
func (r *reference) passed() time.Duration {
	passed := (r.now - r.next) / r.period
	if r.now < r.next {
		passed = 0
	}
	if r.until > 0 {
		passed = min(passed, r.ahead())
	}
	return passed
}

// latest returns which time a planned run counts for that stands for so many further periods: one
// before the end of the series.
func (r *reference) latest(passed time.Duration) time.Duration {
	if at := r.next + passed*r.period; r.until == 0 || at < r.until {
		return at
	}
	return r.slot + passed*r.period
}

// ahead returns how many slots follow that of the planned run before the end of the series.
func (r *reference) ahead() (n time.Duration) {
	for slot := r.slot + r.period; slot < r.until; slot += r.period {
		n++
	}
	return n
}

// limit returns until when the series may wait for what it waits for.
func (r *reference) limit() (at time.Duration, ok bool) {
	standsForAll := r.rate && (r.policy == executor.Skip || r.policy == executor.Coalesce)
	switch {
	case r.over || r.run != nil:
		return 0, false
	case r.paused && !r.extraFirst():
		return r.until, r.until > 0
	case r.beginWithin == 0:
		return 0, false
	case r.extraFirst():
		return r.asked + r.beginWithin + 1, true
	case !standsForAll:
		return r.next + r.beginWithin + 1, true
	case r.beginWithin < r.period:
		return r.latest(r.passed()) + r.beginWithin + 1, true
	case r.until > 0:
		return r.latest(r.ahead()) + r.beginWithin + 1, true
	}
	return 0, false // there is always a period that has passed a moment ago
}

// outstay ends the wait for a run that has waited for too long, or, in a pause, that for the end.
func (r *reference) outstay() {
	if r.paused && !r.extraFirst() {
		r.endsByTime()
		return
	}
	r.Expired++
	r.failures++
	r.row++
	r.run = &currentRun{extra: r.extraFirst()}
	if r.run.extra {
		r.asked = none
	} else {
		r.lapse()
	}
	r.goesOn()
}

// lapse gives up a planned run: the next one has missed its period, and those that it stood for.
func (r *reference) lapse() {
	if !r.rate {
		return
	}
	r.run.lapsed = r.missed + 1
	if r.policy == executor.Skip || r.policy == executor.Coalesce {
		passed := r.passed()
		r.slot += passed * r.period
		r.run.lapsed += uint64(passed)
	}
}
