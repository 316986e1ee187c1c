package series

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// A run that may begin within a limited time waits for it while it is due; or it lapses:
//
//	waiting -> begun    Start: a worker takes it in time
//	waiting -> lapsed   Start and Lapse: its time is over, whether a worker takes it then or not
//	lapsed  -> waiting  Next: of a series, another run is planned
//
// Who begins exactly at the end of the time is in time: it is over a nanosecond later.

// TooLate reports whether the waiting run, which is due at the given time, would begin too late to
// be of use.
func (s *Series) TooLate(due, now int64) bool {
	return s.BeginWithin > 0 && now-s.standsFor(due, now) > int64(s.BeginWithin)
}

// standsFor returns the time of which a run that begins now would be late. If it makes up for
// several periods, that is the time of the last one.
func (s *Series) standsFor(due, now int64) int64 {
	switch {
	case s.extraFirst():
		return s.asked
	case s.planned != 0:
		due = s.planned
	}
	if s.Period > 0 && s.Dates == nil && s.standsForAll() {
		due = s.countsFor(due, s.passed(due, now))
	}
	return due
}

// Limit returns when the task has waited for too long: then its run lapses, or the series ends, as
// it is paused and its end has come. It is Never if there is no such time.
func (s *Series) Limit(due, now int64) int64 {
	switch {
	case s.held || s.again > 0:
		return clock.Never
	case s.paused && !s.extraFirst():
		if s.until != 0 {
			return s.until
		}
		return clock.Never
	case s.BeginWithin == 0:
		return clock.Never
	}
	from := s.standsFor(due, now)
	// Before its time is over it will stand for another period, as long as there is one.
	if s.Period > 0 && s.Dates == nil && s.standsForAll() && !s.extraFirst() &&
		int64(s.BeginWithin) >= s.period() {
		if s.until == 0 {
			return clock.Never
		}
		from = s.countsFor(s.planned, s.ahead())
	}
	return after(from, s.BeginWithin+1)
}

// after is clock.Later for a time that may be negative.
func after(t int64, d time.Duration) int64 {
	if d < 0 || t > math.MaxInt64-int64(d) { // it was the longest of all, and one more
		return clock.Never
	}
	return t + int64(d)
}

// Lapse is Start for a run whose time is over: its body is not called. The periods that it stood
// for, and its own, are missed by the next one. It is not late, so no grid shifts to it.
func (s *Series) Lapse(scheduled, now int64) (counts int64) {
	slot, missed := s.slot, s.Missed
	counts = s.Start(scheduled, now)
	if s.CatchUp == Shift && !s.extra {
		s.slot, s.Missed, counts = slot, missed, scheduled
	}
	s.Unbegin()
	return counts
}

// Unbegin takes back, for Lapse, that a run has begun.
func (s *Series) Unbegin() {
	s.Runs--
	switch {
	case s.extra:
		s.extras--
	case s.Period > 0:
		s.lapsed = s.Missed - s.behind + 1
	}
}

// Lapsed returns how many periods have been lost by runs that have lapsed since the last one that
// began.
func (t *tally) Lapsed() uint64 { return t.lapsed }

// Lost returns how many periods had no run of their own when the one in progress began, nor will
// have one.
func (t *tally) Lost() uint64 { return t.Missed - t.behind }
