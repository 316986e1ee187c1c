package series

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Calendar says when the runs of a series are planned, on the wall clock.
type Calendar interface {
	Next(after time.Time) time.Time
}

// Dates is what a task knows that waits on the wall clock: a series on a calendar or, without a
// calendar, a task that runs once. The calendar is the user's, so it is asked without the owner's
// lock; see Outlook. The lock guards the fields, except the calendar.
type Dates struct {
	Calendar Calendar
	zone     *time.Location // in which the calendar is asked
	interval bool           // it is like an interval: what the clock shows twice may run twice
	since    time.Time      // it is not asked about earlier times; zero for no bound

	slot time.Time // of the waiting run, or the one in progress
	next time.Time // the one after it, if there is a jitter and the calendar has been asked; or zero
	last time.Time // what the waiting one follows: an earlier slot, or the submission
	skip time.Time // during a run: slots before this have been dropped
	at   Moment    // at which the plan is being changed

	began Moment // of the run in progress, or the last one

	out Outlook // the latest; what the end of a run plans by
}

// ErrCalendar is the variable of the same name in package executor.
var ErrCalendar = errors.New("executor: the calendar's next time is not after the last")

// NewDates returns what a series on a calendar knows, which is asked now, in the location of that,
// about the times from the given one on.
func NewDates(c Calendar, now, from time.Time) *Dates {
	i, ok := c.(interface{ Interval() bool })
	d := &Dates{Calendar: c, zone: now.Location(), interval: ok && i.Interval(), last: now}
	if !from.IsZero() {
		d.since = from.Round(0).Add(-1).In(d.zone)
	}
	d.last = d.notBefore(now)
	return d
}

// notBefore returns t, or the earliest time that the calendar is asked about.
func (d *Dates) notBefore(t time.Time) time.Time {
	if t.Before(d.since) {
		return d.since
	}
	return t
}

// Asked returns the time after which the next slot is looked for.
func (d *Dates) Asked() time.Time { return d.last }

// OnceAt returns what a task knows that runs once, when the wall clock shows a time.
func OnceAt(t time.Time) *Dates { return &Dates{slot: t.Round(0), zone: t.Location()} }

// farBack is how far the clock may be set back so that fixed times do not come again. What is set
// back farther was wrong, and everything is planned anew.
const farBack = 3 * time.Hour

// Ask returns the question for the slots after the present one, when the wall clock shows now. The
// lock is held.
func (s *Series) Ask(now time.Time, inclusively bool) Question {
	d := s.Dates
	q := Question{
		calendar: d.Calendar, slot: d.slot, base: d.slot, until: s.Options.Until,
		now: now.In(d.zone), inclusively: inclusively, jitter: s.Jitter > 0,
	}
	q.base = d.base(d.slot, now)
	if s.running && !d.skip.IsZero() && d.skip.After(q.base) {
		q.base = d.skip.Add(-1)
	}
	return q
}

// AskAgain is Ask for a task whose waiting run has not begun: the clock may have been set.
func (s *Series) AskAgain(now time.Time) Question {
	q := s.Ask(now, false)
	d := s.Dates
	q.base = d.base(d.last, now)
	q.corrects = d.Calendar != nil && !q.base.Equal(d.last)
	return q
}

// base returns the time after which the next slot is, given the last one.
func (d *Dates) base(last, now time.Time) time.Time {
	if back := last.Sub(now); back > farBack || back > 0 && d.interval {
		return d.notBefore(now.In(d.zone))
	}
	return last
}

// Begin sets the first slot, and returns when it comes, or false if there is none.
func (g *Grid) Begin(o Outlook, m Moment) (at int64, ok bool) {
	g.Dates.slot, g.Dates.next = o.first, o.afterFirst
	return m.On(o.first), !o.first.IsZero()
}

// Slot returns the time that the waiting run, or the one in progress, is planned for.
func (d *Dates) Slot() time.Time { return d.slot }

// OnWall returns when the waiting run is due, as the wall clock shows it, or false if it does not
// wait on that.
func (s *Series) OnWall() (t time.Time, ok bool) {
	if s.Dates == nil || s.Retrying() || s.extraFirst() || s.planned == clock.Never {
		return t, false
	}
	return s.Dates.slot.Add(s.PutOff()), true
}

// room returns how long after its slot the waiting run may be planned, by the end of the series and
// the next slot.
func (d *Dates) room(until time.Time) int64 {
	room := time.Duration(clock.Never)
	for _, limit := range [...]time.Time{until, d.next} {
		if !limit.IsZero() && limit.After(d.slot) {
			room = min(room, limit.Sub(d.slot))
		}
	}
	return int64(room)
}

// Asked reports whether the outlook is of the present slot.
func (g *Grid) Asked(o Outlook) bool { return g.Dates.slot.Equal(o.slot) }

// Begun notes when a run begins.
func (d *Dates) Begun(m Moment) { d.began = m }

// Began returns the moment at which the run in progress began, or false if there was none.
func (d *Dates) Began() (m Moment, ok bool) { return d.began, !d.began.Wall.IsZero() }

// Early reports whether the wall clock does not show the time of the waiting run yet, and will.
func (s *Series) Early(m Moment) bool {
	return s.Dates != nil && !s.Retrying() && !s.extraFirst() && m.Wall.Before(s.Dates.slot) &&
		m.Now < clock.Last
}

// Reckon accounts for the slots that have passed before a run that has begun, and returns the time
// that it counts for, which may lie before the owner's clock began.
func (s *Series) Reckon(o Outlook, m Moment) (counts int64) {
	d := s.Dates
	s.Missed += o.past
	if s.CatchUp == Burst {
		s.behind = o.past
	} else {
		d.slot, o.slot = o.last, o.last
		o.first, o.afterFirst = o.ahead, o.afterAhead
	}
	s.slot, d.out = m.On(d.slot), o
	return s.slot
}

// LookAhead keeps what the end of the run in progress is to plan by.
func (g *Grid) LookAhead(o Outlook) { g.Dates.out = o }

// At sets the moment at which the plan is about to be changed.
func (d *Dates) At(m Moment) { d.at = m }

// planByDates is plan for a series on a calendar.
func (s *Series) planByDates() (at int64) {
	d := s.Dates
	s.Missed, s.dropped = s.dropped+s.lapsed, 0
	s.last, d.last = s.slot, d.slot
	switch next := d.out.first; {
	case s.CatchUp == Skip:
		s.Missed += d.out.past
		d.slot, d.next = d.out.ahead, d.out.afterAhead
	case next.Before(d.skip):
		d.slot, d.next = d.out.ahead, d.out.afterAhead
	default:
		d.slot, d.next = next, d.out.afterFirst
	}
	d.skip = time.Time{}
	return s.arrive()
}

// arrive plans the run of the slot that has just been set, and returns when it is due.
func (g *Grid) arrive() (at int64) {
	d := g.Dates
	if g.slot = d.at.Now; !d.slot.IsZero() { // else Over ends the series
		g.slot = d.at.On(d.slot)
	}
	due, gone := max(g.slot, firstDue), int64(0)
	if g.CatchUp == Skip {
		gone = max(d.at.Now-due, 0)
	}
	return g.disturbed(due, gone)
}

// Moved follows a command, which has planned the next run for a time of the owner's clock.
func (g *Grid) Moved() {
	if d := g.Dates; d != nil {
		d.slot, d.next = d.at.Shows(g.slot).In(d.zone), time.Time{}
	}
}

// Replan plans the waiting run anew after the clocks have parted, and returns when it is due. The
// plan keeps what the jitter has drawn, also while the wall clock is so far ahead that the run
// should have come before the owner's clock began.
func (s *Series) Replan(m Moment) (at int64) {
	late := s.PutOff()
	s.slot = m.On(s.Dates.slot)
	s.planned = clock.Later(s.slot, late)
	return s.Due()
}

// Correct sets the slot of the waiting run anew, as the clock has been set back.
func (g *Grid) Correct(q Question, o Outlook) {
	g.Dates.last, g.Dates.slot, g.Dates.next = q.base, o.first, o.afterFirst
}

// lastDate is Last for a series on a calendar.
func (s *Series) lastDate(ended int64) bool {
	if !s.foreseen() {
		return false
	}
	var dates Dates
	next := s.copy(&dates)
	next.end(ended)
	return next.planIsOver() || s.paused && s.until != 0 && ended >= s.until
}

// foreseen reports whether what follows the run in progress does not depend on what the calendar
// has not been asked yet.
func (s *Series) foreseen() bool {
	return s.extra || s.move.kind != stay || s.Asked(s.Dates.out)
}

// upcomingDate is Upcoming for a series on a calendar.
func (s *Series) upcomingDate(now int64) (at int64, known bool) {
	var dates Dates
	next := s.copy(&dates)
	next.Jitter = 0
	next.end(now)
	d := next.Dates
	skips := s.CatchUp == Skip && d.slot.Before(d.at.Wall) // that one, and who knows how many
	at = next.Due()
	return at, s.foreseen() && !skips && !next.planIsOver() && at != clock.Never && !s.Last(now)
}

// Shown returns what the wall clock shows at a time of the owner's.
func (d *Dates) Shown(t int64) time.Time { return d.at.Shows(t).In(d.zone) }

// dropDates drops the slots that have passed, up to a resume: the waiting one and those after it
// or, during a run, only these.
func (s *Series) dropDates(during bool) {
	d := s.Dates
	past, ahead := d.out.past, d.out.ahead
	if during {
		s.dropped += past
		d.skip = d.at.Wall
		return
	}
	if !d.slot.Before(d.at.Wall) {
		return
	}
	s.Missed += past + 1
	d.last, d.slot, d.next = d.out.last, ahead, d.out.afterAhead
	s.planned = s.arrive()
}
