package run

import (
	"time"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Status is how a task is at one moment.
type Status struct {
	Phase  cell.Phase
	Paused bool
	Period time.Duration
	Next   time.Time
	Runs   uint64
	Last   *LastRun

	Calendar series.Calendar
	Until    time.Time
	Left     uint64
}

// Views are what can be asked of the tasks of an owner.
type Views struct{ *Env }

// Delay returns the time until the next run of c. It is negative for a run that is late, in
// progress or over.
func (v *Views) Delay(c *cell.Cell, pl *Plan) time.Duration {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	return time.Duration(pl.DueAt(c) - v.Clock.Now())
}

// Next returns the time of the next run of c, if one is planned.
func (v *Views) Next(c *cell.Cell, pl *Plan) (at time.Time, planned bool) {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	return v.plannedLocked(c, pl)
}

// plannedLocked returns the time of the next run of c: what it waits for or, during a run, what
// comes after that, if the end of the run does not decide it. The lock is held.
func (v *Views) plannedLocked(c *cell.Cell, pl *Plan) (at time.Time, planned bool) {
	switch {
	case c.Phase() != cell.Running:
		return v.Host.NextLocked(c)
	case !pl.Periodic(), pl.Counted(), !v.Host.MayRepeatLocked(pl):
		return at, false
	}
	v.readWallLocked(pl)
	when, known := pl.Foreseen(v.Clock.Now())
	return v.shownLocked(pl, when, known)
}

// NextLocked returns the time for which c waits. The lock is held.
func (v *Views) NextLocked(c *cell.Cell, pl *Plan) time.Time {
	if t, ok := pl.OnWall(); ok {
		return t
	}
	return v.Clock.Time(pl.DueAt(c))
}

// Runs returns how many runs of c have begun.
func (v *Views) Runs(c *cell.Cell, pl *Plan) uint64 {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	return v.runsLocked(c, pl)
}

func (v *Views) runsLocked(c *cell.Cell, pl *Plan) uint64 {
	if pl.Periodic() {
		return pl.Runs
	}
	// It may have been early, or have expired.
	if c.Started <= 0 || pl.Dates != nil && pl.Attempt() == 0 || pl.overtime.expired() {
		return 0
	}
	return 1
}

// Describe describes the run of c that is in progress.
func (v *Views) Describe(c *cell.Cell, pl *Plan) Info {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	return v.DescribeLocked(c, pl)
}

// DescribeLocked is Describe for a caller who holds the lock. A run whose start was not recorded,
// because nothing wanted to know, is given the present time.
func (v *Views) DescribeLocked(c *cell.Cell, pl *Plan) Info {
	if c.Started == 0 {
		c.Started = v.Clock.Now()
		if c.When == 0 { // it was submitted without a time
			c.When = c.Started
		}
	}
	info := Info{
		Name:      pl.Name,
		Number:    1,
		Scheduled: v.Clock.Time(c.When),
		Started:   v.Clock.Time(c.Started),
	}
	info.Attempt = pl.attempt()
	if pl.Periodic() {
		info.Number, info.Missed, info.Triggered = pl.Runs, pl.missed(), pl.Extra()
		info.Periodic = true
	}
	if shown, ok := onWallLocked(c, pl); ok {
		info.Scheduled, info.Started = shown.scheduled, shown.started
	}
	return info
}

// Latest returns the last run of a series that has ended, or false if there is none.
func (v *Views) Latest(pl *Plan) (LastRun, bool) {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	if pl.latest == nil {
		return LastRun{}, false
	}
	return v.LastRunOf(pl, *pl.latest), true
}

// LastRunOf returns what is kept of a run as it is shown.
func (v *Views) LastRunOf(pl *Plan, r Record) LastRun {
	last := LastRun{
		Info: Info{
			Name:      pl.Name,
			Number:    r.Number,
			Scheduled: v.Clock.Time(r.Scheduled),
			Started:   v.Clock.Time(r.Started),
			Missed:    r.Missed,
			Attempt:   r.Attempt,
			Triggered: r.Extra,
		},
		Took:    time.Duration(r.Ended - r.Started),
		Err:     r.Err,
		Skipped: r.Skipped,
	}
	if pl.Dates != nil {
		last.Scheduled, last.Started = r.shown.scheduled, r.shown.started
	}
	return last
}

// StatusLocked returns how c is. The lock is held.
func (v *Views) StatusLocked(c *cell.Cell, pl *Plan) (s Status) {
	s.Phase = c.Phase()
	s.Runs = v.runsLocked(c, pl)
	if at, planned := v.plannedLocked(c, pl); planned {
		s.Next = at
	}
	if pl.Periodic() {
		s.Period, s.Paused = pl.PeriodNow(), pl.Paused() && !s.Phase.Settled()
		s.Until, s.Left = pl.Options.Until, pl.Left()
		if pl.Dates != nil {
			s.Calendar = pl.Dates.Calendar
		}
		if pl.latest != nil {
			last := v.LastRunOf(pl, *pl.latest)
			s.Last = &last
		}
	}
	return s
}

// UpcomingLocked returns when the run after the one in progress would be due, if that one ended
// now, or false if it is not known. The lock is held.
func (v *Views) UpcomingLocked(pl *Plan, now int64) (t time.Time, known bool) {
	v.readWallLocked(pl)
	at, known := pl.Upcoming(now)
	return v.shownLocked(pl, at, known)
}

// shownLocked returns a time of the plan as it is shown, if it is known. The lock is held.
func (v *Views) shownLocked(pl *Plan, at int64, known bool) (time.Time, bool) {
	switch {
	case !known:
		return time.Time{}, false
	case pl.Dates != nil && at != clock.Never:
		return pl.Dates.Shown(at), true
	}
	return v.Clock.Time(at), true
}

// DescribeWaiting describes a task that may not be in a run.
func (v *Views) DescribeWaiting(c *cell.Cell, pl *Plan) Info {
	v.Lock.Lock()
	defer v.Lock.Unlock()
	info := Info{Name: pl.Name, Number: 1}
	if pl.Periodic() {
		info.Number, info.Periodic = pl.Runs, true
	}
	if c.When != 0 {
		info.Scheduled = v.NextLocked(c, pl)
	}
	return info
}

// onWallLocked returns the times of the run of c that is in progress, or of the last one, if the
// task waits on the wall clock and has begun. The lock is held.
func onWallLocked(c *cell.Cell, pl *Plan) (s shown, ok bool) {
	if pl.Dates == nil {
		return s, false
	}
	began, ok := pl.Dates.Began()
	if !ok {
		return s, false
	}
	s = shown{began.Shows(c.When), began.Shows(c.Started)}
	if !pl.Extra() {
		s.scheduled = pl.Dates.Slot()
	}
	return s, true
}
