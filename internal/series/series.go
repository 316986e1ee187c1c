// Package series is the arithmetic of periodic tasks: when the next run is due, and what becomes of
// periods that have been missed, and of failures. Times are nanoseconds on the executor's clock.
package series

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Options is what one submission asks for. It has been validated.
type Options struct {
	Name    string
	Timeout time.Duration // of each run; 0 means none
	CatchUp CatchUp
	// CatchUpSet says that it was: a calendar has another default.
	CatchUpSet bool
	OnError    OnError // what a failed run means, if the task is periodic
	Jitter     time.Duration
	MaxRuns    uint64 // 0 means no limit

	From, Until time.Time // when runs may be planned; the zero time means no bound
	BackOff     BackOff   // of a series whose runs fail
	PauseAfter  uint64    // failures in a row; 0 means never

	Unique bool // the name is taken while the task lives

	Retry       Retry
	BeginWithin time.Duration // too late a run does not begin; 0 means no limit

	// DelayBy, if set, says after a run how long to wait for the next, or that there is none. Its
	// argument is an executor.LastRun.
	DelayBy func(last any) (d time.Duration, again bool)

	Priority int

	// What is expected of the task; 0 means nothing.
	SuccessWithin time.Duration // a run succeeds at least so often
	StartWithin   time.Duration // of the last hundred runs, this part begins no later than that
	StartQuantile float64

	WallClock bool // a task that runs once waits on the wall clock

	Values context.Context // whose values the runs know; nil for none in particular
	Within context.Context // which ends the task; nil for none
}

// CatchUp says what a fixed rate does about the periods that pass while the task cannot run.
type CatchUp uint8

// These are the policies as package executor describes them.
const (
	Burst CatchUp = iota
	Skip
	Coalesce
	Shift
)

// OnError says what a failed run means for its series.
type OnError uint8

// These are the policies as package executor describes them.
const (
	StopOnPanic OnError = iota
	StopSeries
	Continue
)

// These give Series.Period its sign.
const (
	FixedRate  = 1
	FixedDelay = -1

	// OnCalendar is the whole period of a series with Dates. It is only known to be positive.
	OnCalendar = 1
)

// Series is the state of a task that may be periodic. Options do not change once the task is
// accepted; the owner's lock guards the other fields, except Streak.
type Series struct {
	Options

	// Period is 0 for a task that runs once, positive for a fixed rate, negative for a fixed delay.
	// It does not change either; see every.
	Period int64

	Runs   uint64 // begun so far
	Missed uint64 // periods without a run of their own, as executor.Run shows them
	lapsed uint64 // of these, those lost by runs that have expired since the last one that began
	behind uint64 // of these, those for which runs are still to come
	every  int64  // the period by now, not negative; 0 as long as it is the first

	Streak Streak // failures since the last success; only the goroutine of the run touches it

	slot  int64 // time of the next run, or the one in progress, on the grid: without jitter
	watch watch // over the timeout of the run in progress
	ended int64 // when the last run ended
	from  int64 // no run is planned before
	until int64 // no run is planned for this time or later; 0 means no bound

	control
	attempts

	Dates *Dates // of a task that waits on the wall clock, else nil
}

// LetGo drops the functions of the user's once the series has ended, so that a handle of it does
// not keep them in memory.
func (s *Series) LetGo() {
	s.DelayBy = nil
	if s.Dates != nil {
		s.Dates.Calendar = nil
	}
}

// Periodic reports whether the task repeats.
func (s *Series) Periodic() bool { return s.Period != 0 }

// Spot is where a waiting task stands in time.
type Spot struct {
	slot, planned int64
	date          time.Time
}

// Spot returns where a task that runs once stands.
func (s *Series) Spot() (at Spot) {
	at = Spot{slot: s.slot, planned: s.planned}
	if s.Dates != nil {
		at.date = s.Dates.slot
	}
	return at
}

// Return puts the task back where it stood.
func (s *Series) Return(at Spot) {
	s.slot, s.planned = at.slot, at.planned
	if s.Dates != nil {
		s.Dates.slot = at.date
	}
}

// First plans the first run for the given time, and returns when it is due: later by the jitter.
func (s *Series) First(when int64) (at int64) {
	if s.Period != 0 && s.Dates == nil { // a calendar has heeded it
		when = max(when, s.from)
	}
	at = s.disturbed(when, 0)
	if s.Period != 0 || s.BeginWithin > 0 || s.Dates != nil {
		s.slot, s.planned = when, at
	}
	return at
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
	case passed == 0, s.CatchUp == Shift && s.until > 0 && now >= s.until:
		return scheduled
	case s.CatchUp == Shift:
		s.slot = now
		return now
	}
	s.slot += passed * s.period()
	if at := scheduled + passed*s.period(); s.until == 0 || at < s.until {
		return at
	}
	return s.slot // the jitter of an earlier slot is more than the end leaves to this one
}

// passed returns how many periods have passed since a planned time, without those that begin at the
// end of the series or later.
func (s *Series) passed(planned, now int64) int64 {
	passed := max(now-planned, 0) / s.period()
	if s.until > 0 {
		passed = min(passed, s.ahead())
	}
	return passed
}

// ahead returns how many slots there are between the present one and the end of the series.
func (s *Series) ahead() int64 { return max(s.until-1-s.slot, 0) / s.period() }

// Ended returns when the last run ended, or 0 before that. The next run must not start earlier.
func (s *Series) Ended() int64 { return s.ended }

// Next accounts for the end of a run, plans the next, and returns when the task is due: for that,
// or for an extra run. Only the goroutine of the run may call it.
func (s *Series) Next(ended int64) (at int64) {
	s.noteFailures()
	s.end(ended)
	return s.Due()
}

// end is Next that leaves the streak alone.
func (s *Series) end(ended int64) {
	s.ended, s.running = ended, false
	switch dropped := s.dropped; {
	case s.extra:
		s.extra = false // the plan is what it was
	default:
		s.planned = s.plan(ended)
		if s.move.kind != stay {
			s.Missed = dropped + s.lapsed // what else the plan leaves out has not been missed, but moved
		}
	}
	s.applyMove(ended)
}

// plan plans the run after a planned one that ended at the given time, and returns when it is due.
func (s *Series) plan(ended int64) (at int64) {
	if s.Dates != nil {
		return s.planByDates()
	}
	s.Missed, s.dropped, s.shifted = s.dropped+s.lapsed, 0, 0
	s.last = s.slot
	every := s.stretched()
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

// skip plans a run for the first slot of the grid that has not passed at the given time, and
// returns when it is due. The jitter makes a window of each slot, and a slot has passed when no
// time is left in its window; the run is planned for what is left. So a run that comes late in its
// window costs the next one nothing. A slot that falls exactly on the end of a run has not passed.
func (s *Series) skip(ended, every int64) (at int64) {
	period, window := uint64(s.period()), uint64(s.window())
	passed := uint64(0)
	if late := span(s.slot, ended); late > uint64(every)+window {
		passed = ceil(late-uint64(every)-window, period)
	}
	s.Missed += passed
	s.last = s.slot + int64(passed*period)
	s.slot = clock.Later(s.last, time.Duration(every))
	return s.disturbed(s.slot, max(ended-s.slot, 0))
}

// shift moves to one period after the last run or, if that took longer, to its end, from where the
// grid goes on.
func (s *Series) shift(ended, every int64) {
	s.slot = clock.Later(s.slot, time.Duration(every))
	if s.slot < ended {
		s.Missed += uint64((ended - s.slot) / s.period())
		s.shifted = ended - s.slot
		s.slot = ended
	}
}

// Planned returns when the waiting run, which is due at the given time, would have been due, had
// Shift not moved the grid.
func (s *Series) Planned(due int64) int64 {
	if s.extraFirst() || s.planned != due {
		return due
	}
	return due - s.shifted
}

// period returns the period by now.
func (s *Series) period() int64 {
	if s.every > 0 {
		return s.every
	}
	return max(s.Period, -s.Period)
}

// PeriodNow returns the period as it is now; 0 for a task without one.
func (s *Series) PeriodNow() time.Duration {
	if s.Dates != nil {
		return 0
	}
	return time.Duration(s.period())
}

// window returns how long after its slot a run may be planned: the jitter is below s.Jitter.
func (s *Series) window() int64 { return max(int64(s.Jitter)-1, 0) }

// Survives reports whether the series goes on after a failed run: one that failed abruptly, by a
// panic or Goexit, or otherwise by an error or its timeout.
func (s *Series) Survives(abruptly bool) bool {
	return s.Periodic() && (s.OnError == Continue || s.OnError == StopOnPanic && !abruptly)
}

// Upcoming returns when the run after the one in progress would be due, without jitter, if that one
// ended now. It reports false if that is not known: the end of the run decides it, or the series is
// paused.
func (s *Series) Upcoming(now int64) (at int64, known bool) {
	if s.Period < 0 || s.paused {
		return 0, false
	}
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
	return Series{
		Options: s.Options, Period: s.Period, Runs: s.Runs, every: s.every,
		slot: s.slot, ended: s.ended, lapsed: s.lapsed, from: s.from, until: s.until, control: s.control,
		Dates: dates,
	}
}

// Bounded reports whether the series may come to an end by itself, see Last.
func (s *Series) Bounded() bool { return s.MaxRuns > 0 || s.until > 0 || s.Dates != nil }

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

// Bound sets the times between which runs are planned; no bound is 0.
func (s *Series) Bound(from, until int64) { s.from, s.until = from, until }

// Ends reports whether even a first run, planned for the given time, would come too late.
func (s *Series) Ends(when int64) bool { return s.until > 0 && max(when, s.from) >= s.until }

// Over reports whether a series that waits has no run to wait for: its next one would be planned
// for its end or later, or it is paused, and its end has come. That is asked whenever the plan
// changes, and when a run is taken.
func (s *Series) Over(now int64) bool {
	if !s.Bounded() || s.held || s.again > 0 || s.asked > 0 {
		return false
	}
	return s.planIsOver() || s.paused && s.until > 0 && now >= s.until
}

// planIsOver reports whether the next planned run would come at the end of the series or later.
func (s *Series) planIsOver() bool {
	if d := s.Dates; d != nil {
		late := !s.Options.Until.IsZero() && !d.slot.Before(s.Options.Until)
		return d.slot.IsZero() || late
	}
	return s.until > 0 && max(s.slot, s.planned) >= s.until
}

// disturbed adds the jitter to a time, or what is left of the jitter if some of it is gone. What is
// planned stays before the end of the series and, on a calendar, before the next slot: so a jitter
// that is longer than the distance of two slots loses none.
func (s *Series) disturbed(when, gone int64) int64 {
	if s.Jitter == 0 {
		return when
	}
	window := min(int64(s.Jitter), s.room(when))
	if window <= gone {
		return clock.Later(when, time.Duration(gone))
	}
	return clock.Later(when, time.Duration(gone+rand.N(window-gone)))
}

// room returns how long after its slot, which is the given time, a run may be planned.
func (s *Series) room(slot int64) int64 {
	switch {
	case !s.Periodic():
	case s.Dates != nil:
		return s.Dates.room(s.Options.Until)
	case s.until > slot:
		return s.until - slot
	}
	return clock.Never
}
