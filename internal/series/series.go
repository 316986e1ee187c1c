// Package series is the arithmetic of periodic tasks: when the next run is due, and what becomes of
// periods that have been missed, and of failures. Times are nanoseconds on the executor's clock.
package series

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Series is the state of a task that may be periodic: where its runs may lie, what has become of
// them so far, and what commands, attempts and failures make of the next. The owner's lock guards
// the fields, except Streak.
type Series struct {
	Grid
	tally
	control
	attempts

	Streak Streak // failures since the last success; only the goroutine of the run touches it

	watch       // over the timeout of the run in progress
	Ended int64 // when the last run ended, or 0; the next must not start earlier
}

// tally is what has become of the runs.
type tally struct {
	Runs   uint64 // begun so far
	Missed uint64 // periods without a run of their own, as executor.Run shows them
	lapsed uint64 // of these, those lost by runs that have lapsed since the last one that began
	behind uint64 // of these, those for which runs are still to come
}

// Start accounts for a run of a periodic task that was due at the time scheduled and begins now. It
// returns the time that the run counts for.
//
// At a fixed rate a late run may have missed some periods. A burst makes up for each with a run of
// its own, so the run counts for the time it was planned for. Under the other policies it stands
// for all of them: it counts for the last one that has begun or, if the grid shifts, begins a new
// grid.
func (s *Series) Start(scheduled, now int64) int64 {
	s.Runs++
	s.watch, s.running = inTime, true
	if s.extraFirst() {
		s.beginExtra()
		return scheduled
	}
	s.lapsed, s.behind = 0, 0
	if s.Period < 0 || s.Dates != nil { // see Reckon
		return scheduled
	}
	passed := s.passed(scheduled, now)
	s.Missed += uint64(passed)
	switch {
	case s.CatchUp == Burst:
		s.behind = uint64(passed)
		return scheduled
	case passed == 0, s.CatchUp == Shift && s.until != 0 && now >= s.until:
		return scheduled
	case s.CatchUp == Shift:
		s.slot = now
		return now
	}
	at := s.countsFor(scheduled, passed)
	s.slot += passed * s.period()
	return at
}

// Next accounts for the end of a run, plans the next, and returns when the task is due: for that,
// or for an extra run. Only the goroutine of the run may call it.
func (s *Series) Next(ended int64) (at int64) {
	if s.Streak.Length > 0 || s.failures > 0 {
		s.noteFailures()
	}
	s.end(ended)
	return s.Due()
}

// end is Next that leaves the streak alone.
func (s *Series) end(ended int64) {
	s.Ended, s.running = ended, false
	switch dropped := s.dropped; {
	case s.extra:
		s.extra = false // the plan is what it was
	default:
		s.planned = s.plan(ended)
		if s.move.kind != stay {
			s.Missed = dropped + s.lapsed // what else the plan leaves out has not been missed, but moved
		}
	}
	if s.move.kind != stay {
		s.applyMove(ended)
	}
	s.move, s.reset = move{}, false
}

// plan plans the run after a planned one that ended at the given time, and returns when it is due.
func (s *Series) plan(ended int64) (at int64) {
	if s.Dates != nil {
		return s.planByDates()
	}
	s.Missed, s.dropped, s.shifted = s.dropped+s.lapsed, 0, 0
	s.last = s.slot
	every := s.period()
	if s.failures > 0 {
		every = s.stretched(s.failures)
	}
	switch {
	case s.Period < 0: // fixed delay: from the end of the run
		s.last = ended
		s.slot = clock.Later(ended, time.Duration(every))
	case s.CatchUp == Skip:
		return s.skip(ended, every)
	case s.CatchUp == Shift:
		s.shift(ended, every)
	default: // fixed rate: time += period
		s.slot = clock.Later(s.slot, time.Duration(every))
	}
	return s.disturbed(s.slot, 0)
}

// Planned returns when the waiting run, which is due at the given time, would have been due, had
// Shift not moved the grid.
func (s *Series) Planned(due int64) int64 {
	if s.extraFirst() || s.planned != due {
		return due
	}
	return due - s.shifted
}

// Upcoming returns when the run after the one in progress would be due, without jitter, if that one
// ended now. It reports false if that is not known: the end of the run decides it, or the series is
// paused.
func (s *Series) Upcoming(now int64) (at int64, known bool) {
	if s.Period < 0 || s.paused {
		return 0, false
	}
	return s.upcoming(now)
}

// Foreseen is Upcoming but for what the end of the run in progress decides, whenever that comes.
// Under Shift, and after a Reset, the next run is due at the end of the one in progress at the
// earliest, so at the given time.
func (s *Series) Foreseen(now int64) (at int64, known bool) {
	if s.undecided() {
		return 0, false
	}
	return s.upcoming(now)
}

// undecided reports whether only the end of the run in progress says when the next is due: it
// depends on when the run ends, whether it fails, or what a function makes of it.
func (s *Series) undecided() bool {
	switch {
	case s.move.kind == restart:
		return false
	case s.move.kind == detour, s.DelayBy != nil:
		return true
	case s.extra, s.Dates != nil: // the plan stays, or is the calendar's
		return false
	case s.Period < 0:
		return s.asked == 0 // else an extra run comes first
	}
	return s.BackOff.Factor > 0
}

// upcoming plans with a copy what the end of the run plans. A paused series has extra runs alone.
func (s *Series) upcoming(now int64) (at int64, known bool) {
	if s.Dates != nil {
		return s.upcomingDate(now)
	}
	next := s.copy(nil)
	next.Jitter = 0
	next.end(now)
	at = next.Due()
	return at, at != clock.Never && !s.Last(now)
}

// copy returns a copy to plan with. It leaves out the streak, which the lock does not guard. What
// it knows of a calendar goes to dates.
func (s *Series) copy(dates *Dates) Series {
	if s.Dates == nil {
		dates = nil
	} else {
		*dates = *s.Dates
	}
	next := Series{Grid: s.Grid, control: s.control, Ended: s.Ended}
	next.Dates, next.Runs, next.lapsed = dates, s.Runs, s.lapsed
	return next
}

// Last reports whether the run in progress is the last: the series has begun as many as it may, or
// the next would be planned too late, if this one ended at the given time.
func (s *Series) Last(ended int64) bool { return s.LastAfter(ended, s.failures) }

// LastAfter is Last for a run that has ended, after which so many have failed in a row: they may
// stretch the period.
func (s *Series) LastAfter(ended int64, failures uint64) bool {
	if s.MaxRuns > 0 && s.Runs-s.extras >= s.MaxRuns {
		return true
	}
	if s.Dates != nil {
		return s.lastDate(ended)
	}
	if s.until == 0 {
		return false
	}
	next := s.copy(nil)
	next.failures = failures
	next.end(ended)
	return next.planIsOver() || s.paused && ended >= s.until
}

// Left returns how many planned runs may still begin; 0 if their number has no limit.
func (s *Series) Left() uint64 { return s.MaxRuns - min(s.Runs-s.extras, s.MaxRuns) }

// Over reports whether a series that waits has no run to wait for: its next one would be planned
// for its end or later, or it is paused, and its end has come. That is asked whenever the plan
// changes, and when a run is taken.
func (s *Series) Over(now int64) bool {
	if !s.Bounded() || s.held || s.again > 0 || s.asked > 0 {
		return false
	}
	return s.planIsOver() || s.paused && s.until != 0 && now >= s.until
}
