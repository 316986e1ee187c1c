package series

import (
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// control is what commands from outside have made of a series. A run is either planned, by the
// period of the series, or extra, by a command.
//
// The task waits for the earlier of the two, see Due; during a pause, for an extra run only. While
// it waits for another attempt, the run is still in progress.
//
// A command that moves the plan during a planned run takes effect at the end of the run.
type control struct {
	held    bool // until another task has gone, see Hold
	paused  bool
	gaveUp  bool  // it has paused itself after failures, and has not succeeded since
	running bool  // a run is in progress
	extra   bool  // and it is an extra one
	asked   int64 // when an extra run was asked for that has not begun; 0 if there is none

	extras   uint64 // extra runs begun so far
	dropped  uint64 // planned runs dropped since the one in progress began
	failures uint64 // in a row, when the last run ended
	forgiven uint64 // how many of these came before the series was resumed

	move  move
	reset bool // by a command during the run in progress
}

// move is a change of plan that waits for the end of the run in progress.
type move struct {
	kind moveKind
	to   int64 // the new time, or the time to wait
}

type moveKind uint8

const (
	stay    moveKind = iota
	restart          // Reset: the grid begins anew at the time to, or at the end of the run
	detour           // NextIn: one run, that long after the end; the grid stays
)

// Due returns when the waiting task is due.
func (s *Series) Due() int64 {
	switch {
	case s.held:
		return clock.Never
	case s.again > 0: // the run in progress is not over
		return s.again
	case s.extraFirst():
		return s.asked
	case s.paused:
		return clock.Never
	case s.planned < firstDue: // before the clock began, by that on the wall
		return firstDue
	}
	return s.planned
}

// extraFirst reports whether an extra run comes next.
func (s *Series) extraFirst() bool {
	return s.asked > 0 && (s.paused || s.asked < s.planned || s.planIsOver())
}

// ExtraNext reports whether the waiting run is an extra one.
func (s *Series) ExtraNext() bool { return s.extraFirst() }

// Paused reports whether the series is paused.
func (c *control) Paused() bool { return c.paused }

// GaveUp reports whether the series has paused itself after failures, and has not succeeded since.
func (c *control) GaveUp() bool { return c.gaveUp }

// Suspended reports whether the series waits for no planned run.
func (c *control) Suspended() bool { return c.paused || c.held }

// Extra reports whether the run in progress is an extra one.
func (c *control) Extra() bool { return c.extra }

// Pause stops the planned runs, and reports false if the series is paused already.
func (c *control) Pause() bool {
	changed := !c.paused
	c.paused = true
	return changed
}

// Resume ends a pause. What has fallen due meanwhile is dropped: the next planned run is the first
// of the grid that has not passed. It reports false if the series is not paused.
func (s *Series) Resume(now int64) bool {
	if !s.paused {
		return false
	}
	s.paused, s.forgiven = false, s.failures
	if s.inPlanned() {
		s.dropDuringRun(now)
	} else {
		s.dropWaiting(now)
	}
	return true
}

// Hold keeps a series that has not begun from running at all, until Release.
func (c *control) Hold() { c.held = true }

// Release ends a hold like Resume a pause. But a series that goes on after what there was of it has
// to catch up with what was due before the hold.
func (s *Series) Release(now int64) {
	s.held = false
	if s.planned < now && !s.goesOn() {
		s.dropWaiting(now)
	}
}

// inPlanned reports whether a planned run is in progress.
func (c *control) inPlanned() bool { return c.running && !c.extra }

// dropDuringRun drops the slots that have passed since that of the run in progress. With a fixed
// delay there are none.
func (s *Series) dropDuringRun(now int64) {
	switch {
	case s.Period < 0:
		return
	case s.Dates != nil:
		s.dropDates(true)
		return
	}
	period := s.period()
	next := clock.Later(s.slot, time.Duration(period))
	passed := ceil(span(next, now), uint64(period))
	s.slot += int64(passed * uint64(period))
	s.dropped += ceil(span(next, s.beforeEnd(now)), uint64(period))
}

// dropWaiting moves a planned run that has fallen due to the first slot that has not passed. The
// slots of a fixed delay are those that there would be if its runs took no time.
func (s *Series) dropWaiting(now int64) {
	if s.planned >= now {
		return
	}
	if d := s.Dates; d != nil {
		if s.Asked(d.out) { // else the command replaces the slot
			s.dropDates(false)
		}
		return
	}
	period := s.period()
	if passed := ceil(span(s.slot, now), uint64(period)); passed > 0 {
		missed := ceil(span(s.slot, s.beforeEnd(now)), uint64(period))
		before := s.slot + int64((passed-1)*uint64(period))
		s.slot = clock.Later(before, time.Duration(period))
		if s.Period > 0 {
			s.Missed += missed
			s.last = s.slot - s.stretched(s.failures) // as after a skip
		}
	}
	s.planned = s.disturbed(s.slot, 0)
}

// Trigger asks for an extra run. If one is waiting already, it is that one.
func (c *control) Trigger(now int64) {
	if c.asked == 0 {
		c.asked = now
	}
}

// beginExtra accounts for an extra run that begins.
func (c *control) beginExtra() {
	c.asked, c.extra = 0, true
	c.extras++
}

// Reset begins the grid anew at the given time.
func (s *Series) Reset(at, now int64) {
	s.reset = s.running
	if s.inPlanned() {
		s.move = move{restart, at}
		return
	}
	if s.paused {
		s.dropWaiting(now) // it counts
	}
	s.move = move{} // of an extra run that has called NextIn
	s.slot = at
	s.Moved()
	s.planned = s.disturbed(at, 0)
}

// NextIn plans one run so long after the end of the run in progress.
func (c *control) NextIn(d time.Duration) { c.move = move{detour, int64(d)} }

// Decide is NextIn for a function that is asked after every run: a Reset during that run, which
// asks for one run at one time, must not be lost by it.
func (c *control) Decide(d time.Duration) {
	if !c.reset {
		c.NextIn(d)
	}
}

// applyMove moves what has just been planned, as a command has asked for that during the run.
func (s *Series) applyMove(ended int64) {
	switch m := s.move; m.kind {
	case restart:
		s.slot = max(m.to, ended)
		s.Moved()
		s.planned = s.disturbed(s.slot, 0)
	case detour:
		s.planned = max(clock.Later(ended, time.Duration(m.to)), s.from)
		s.slot = s.lastSlot(s.planned)
		s.Moved()
	}
	s.shifted = 0
}

// SetPeriod changes the period. The next planned run is one new period after the last one, or at
// once if that has passed, from where a new grid begins. A first run stays where it is.
func (s *Series) SetPeriod(d time.Duration, now int64) {
	if int64(d) == s.period() {
		return
	}
	if s.paused && !s.inPlanned() {
		s.dropWaiting(now) // it counts
	}
	s.every = int64(d)
	switch {
	case s.inPlanned() && s.Period > 0:
		s.slot = max(s.slot, now-s.every) // the new grid owes no runs for the time before it
	case !s.inPlanned() && s.Runs > s.extras:
		s.slot = max(clock.Later(s.last, time.Duration(s.stretched(s.failures))), now)
		s.planned = s.disturbed(s.slot, 0)
	}
}

// noteFailures looks at the streak when a run has ended, and pauses a series that has failed too
// often.
func (s *Series) noteFailures() {
	if s.failures = s.Streak.Length; s.failures < s.forgiven {
		s.forgiven = 0 // a new row
	}
	gives := !s.paused && s.failures > 0 && s.Pauses(s.failures)
	s.paused = s.paused || gives
	s.gaveUp = gives || s.gaveUp && s.failures > 0
}

// Pauses reports whether so many failures in a row pause the series. Those before it was last
// resumed do not count.
func (s *Series) Pauses(failures uint64) bool {
	if failures < s.forgiven {
		return s.PauseAfter > 0 && failures >= s.PauseAfter
	}
	return s.PauseAfter > 0 && failures-s.forgiven >= s.PauseAfter
}

// span returns how long it is from one time to another, or 0 if that is earlier. As slots may be
// negative, it may be more than a time can be.
func span(from, to int64) uint64 {
	if to <= from {
		return 0
	}
	return uint64(to) - uint64(from)
}

// ceil divides, and rounds up.
func ceil(a, b uint64) uint64 {
	q := a / b
	if a%b > 0 {
		q++
	}
	return q
}
