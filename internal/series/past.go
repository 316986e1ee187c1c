package series

import (
	"context"
	"math"
	"time"
)

// Past leads to what is known of a series from before it began here: before the process was
// started, say. Options have a pointer to it, as nearly all have none.
type Past struct{ Source }

// Source knows what there was of series. It is the user's, or calls what is, so it is asked without
// a lock.
type Source interface {
	// Before returns what there was of the series of that name, or nil if nothing is known. Owner
	// stands for the executor that is to run it.
	Before(owner any, name string) (*Before, error)
}

// Keeper is a Source that also keeps what becomes of the series here.
type Keeper interface {
	Source

	// Begins is called for a series of which nothing is known before it may begin: it is to go on
	// after the given time if it has had no run by then.
	Begins(name string, after time.Time) error

	// Run is called in place of the body, for each attempt at a planned run, which it is to call
	// with the same context.
	Run(ctx context.Context, a Attempt, body func(context.Context) error) error

	// Ended is called when a run has ended, with all its attempts, unless it has expired. The error
	// is reported.
	Ended(name string) error
}

// Keeper returns what keeps the runs of the series, or nil if they are not kept.
func (p *Past) Keeper() Keeper {
	if p == nil {
		return nil
	}
	k, _ := p.Source.(Keeper)
	return k
}

// Attempt is what a Keeper learns of an attempt at a planned run.
type Attempt struct {
	Series any // stands for the series; another one may have the name later
	Name   string
	Slot   time.Time // of the run: its time without jitter
	Again  bool      // it is not the first
}

// Before is what there was of a series before it began here, on the wall clock.
type Before struct {
	Slot   time.Time     // of the last run
	Ended  time.Time     // when that ended or, if nothing else is known, began
	Window time.Duration // how far back it is caught up with
}

// GoOn has a series with a period go on after what there was of it. At a fixed rate its grid goes
// on: the first slot is the first after the last run's, but none before From, nor before the window
// or, under Skip, the present; these are missed.
func (s *Series) GoOn(b *Before, m Moment) {
	if from := s.Options.From; !from.IsZero() {
		s.from = nonZero(m.On(from))
	}
	if until := s.Options.Until; !until.IsZero() {
		s.until = nonZero(m.On(until))
	}
	period := s.period()
	if s.Period < 0 {
		if s.slot = after(min(m.On(b.Ended), m.Now), time.Duration(period)); s.from != 0 {
			s.slot = max(s.slot, s.from)
		}
		s.plant(m)
		return
	}
	s.slot = after(m.On(b.Slot), time.Duration(period))
	// If the clock has been set back since, a rate goes on from the present time.
	ahead := span(after(m.Now, time.Duration(period)), s.slot)
	s.slot -= int64(ceil(ahead, uint64(period)) * uint64(period))
	if s.from != 0 {
		s.slot = max(s.slot, s.from)
	}
	older := ceil(span(s.slot, s.caughtUpFrom(b, m)), uint64(period))
	if s.until != 0 {
		older = min(older, ceil(span(s.slot, s.until), uint64(period)))
	}
	s.slot += int64(older * uint64(period))
	s.Missed = older
	s.plant(m)
}

// caughtUpFrom returns the time from which on slots get their runs that have passed.
func (g *Grid) caughtUpFrom(b *Before, m Moment) int64 {
	if g.CatchUp == Skip {
		return m.Now - g.window()
	}
	return max(m.Now-int64(min(b.Window, math.MaxInt64/4)), earliest)
}

// plant plans the run of the first slot of a series that goes on.
func (g *Grid) plant(m Moment) {
	gone := int64(0)
	if g.CatchUp == Skip {
		gone = max(m.Now-g.slot, 0)
	}
	g.planned = nonZero(g.disturbed(g.slot, gone))
}

// goesOn reports whether a series goes on after what there was of it. Until First is called, no
// other has a plan.
func (g *Grid) goesOn() bool { return g.Past != nil && g.planned != 0 }

// Older returns the question for the slots that are not caught up with, of a series on a calendar
// that goes on after what there was of it.
func (s *Series) Older(b *Before, m Moment) Question {
	d := s.Dates
	d.last = d.notBefore(b.Slot.Round(0).In(d.zone))
	if s.CatchUp == Skip {
		return s.AskAgain(m.Wall).WithWindows(s)
	}
	q := s.AskAgain(m.Wall)
	q.now = q.now.Add(-b.Window)
	return q
}

// Drop has a series on a calendar miss the slots that are not caught up with.
func (s *Series) Drop(q Question, o Outlook) {
	s.Missed = o.past
	if s.Dates.last = q.base; o.past > 0 {
		s.Dates.last = o.last
	}
}

// GoOnByDates is GoOn for a series on a calendar that has begun, see [Grid.Begin].
func (s *Series) GoOnByDates(m Moment) {
	s.slot = m.On(s.Dates.slot)
	s.plant(m)
}

// Fresh returns the time after which a series with a period goes on that is to begin at the given
// one, and has had no run.
func (g *Grid) Fresh(first int64, m Moment) time.Time {
	return m.Shows(max(first, g.from)).Add(-time.Duration(g.period()))
}

// FirstIn returns how long it is until the first run, which would come in that time, had the series
// no past.
func (g *Grid) FirstIn(in time.Duration, now int64) time.Duration {
	if g.goesOn() {
		return time.Duration(g.planned - now)
	}
	return in
}

// PlannedFor returns the time of the plan for a waiting run that is due at the given one. It may
// lie before the owner's clock began, where nothing is due.
func (s *Series) PlannedFor(due int64) int64 {
	if s.goesOn() && due == max(s.planned, firstDue) && !s.extraFirst() {
		return s.planned
	}
	return due
}

// Slot returns the slot of the run in progress, and whether that is a planned one.
func (s *Series) Slot() (at int64, planned bool) { return s.slot, !s.extra }

// nonZero returns a time of the clock where 0 stands for none.
func nonZero(t int64) int64 {
	if t == 0 {
		return 1
	}
	return t
}
