package series

import (
	"math/rand/v2"
	"time"

	"github.com/punctual-go/punctual/internal/clock"
)

// Grid is where the runs of a task may lie: a slot for each, by a period or by dates, between two
// bounds. It knows nothing of what runs, nor of commands. The owner's lock guards it, but for
// Options and Period, which do not change once the task is accepted.
type Grid struct {
	Options

	// Period is 0 for a task that runs once, positive for a fixed rate, negative for a fixed delay.
	Period int64

	every   int64 // the period by now, not negative; 0 as long as it is the first
	slot    int64 // of the next run, or the one in progress: without jitter
	planned int64 // when the next planned run is due, or the one in progress was
	last    int64 // what the waiting one follows: a slot or, with a fixed delay, the end of a run
	shifted int64 // how far Shift has moved the waiting one
	from    int64 // no run is planned before
	until   int64 // no run is planned for this time or later; 0 means no bound

	Dates *Dates // of a task that waits on the wall clock, else nil
}

// These give Grid.Period its sign.
const (
	FixedRate  = 1
	FixedDelay = -1

	// OnCalendar is the whole period of a series with Dates. It is only known to be positive.
	OnCalendar = 1
)

// LetGo drops the functions of the user's once the series has ended, so that a handle of it does
// not keep them in memory.
func (g *Grid) LetGo() {
	g.DelayBy = nil
	if g.Dates != nil {
		g.Dates.Calendar = nil
	}
}

// Periodic reports whether the task repeats.
func (g *Grid) Periodic() bool { return g.Period != 0 }

// First plans the first run for the given time, and returns when it is due: later by the jitter.
func (g *Grid) First(when int64) (at int64) {
	if g.Period != 0 && g.Dates == nil { // a calendar has heeded it
		when = max(when, g.from)
	}
	if g.Period != 0 && g.Past != nil && g.planned != 0 { // see goesOn
		return max(g.planned, firstDue)
	}
	at = when
	if g.Jitter > 0 {
		at = g.disturbed(when, 0)
	}
	if g.Period != 0 || g.BeginWithin > 0 || g.Dates != nil {
		g.slot, g.planned = when, at
	}
	return at
}

// passed returns how many periods have passed since a planned time, without those that begin at the
// end of the series or later.
func (g *Grid) passed(planned, now int64) int64 {
	passed := max(now-planned, 0) / g.period()
	if g.until != 0 {
		passed = min(passed, g.ahead())
	}
	return passed
}

// countsFor returns the time that a run counts for which makes up for the one planned for a time,
// and so many periods after it. It is as far from its slot as that, unless jitter or NextIn have
// put that off by more than the end of the series leaves to this one.
func (g *Grid) countsFor(planned, passed int64) (at int64) {
	at = g.slot + passed*g.period()
	if off := planned - g.slot; g.until == 0 || off < g.until-at {
		at += off
	}
	return at
}

// ahead returns how many slots there are between the present one and the end of the series.
func (g *Grid) ahead() int64 { return max(g.until-1-g.slot, 0) / g.period() }

// beforeEnd returns the given time, or the end of the series if that comes first: no slot is missed
// from then on.
func (g *Grid) beforeEnd(t int64) int64 {
	if g.until != 0 {
		return min(t, g.until)
	}
	return t
}

// lastSlot returns the slot after which the grid goes on when a run has taken place at the given
// time. That of a fixed rate may be up to a period earlier.
func (g *Grid) lastSlot(at int64) int64 {
	if g.Period < 0 || g.Dates != nil {
		return at
	}
	period := uint64(g.period())
	if g.slot > at {
		return g.slot - int64(ceil(span(at, g.slot), period)*period)
	}
	return g.slot + int64(span(g.slot, at)/period*period)
}

// period returns the period by now.
func (g *Grid) period() int64 {
	if g.every > 0 {
		return g.every
	}
	return max(g.Period, -g.Period)
}

// PeriodNow returns the period as it is now; 0 for a task without one.
func (g *Grid) PeriodNow() time.Duration {
	if g.Dates != nil {
		return 0
	}
	return time.Duration(g.period())
}

// window returns how long after its slot a run may be planned: what is drawn is below the jitter.
func (g *Grid) window() int64 { return max(int64(g.Jitter)-1, 0) }

// Survives reports whether the series goes on after a failed run: one that failed abruptly, by a
// panic or Goexit, or otherwise by an error or its timeout.
func (g *Grid) Survives(abruptly bool) bool {
	return g.Periodic() && (g.OnError == Continue || g.OnError == StopOnPanic && !abruptly)
}

// Bound sets the times between which runs are planned; no bound is 0.
func (g *Grid) Bound(from, until int64) { g.from, g.until = from, until }

// Ends reports whether even a first run, planned for the given time, would come too late.
func (g *Grid) Ends(when int64) bool { return g.until != 0 && max(when, g.from) >= g.until }

// disturbed adds the jitter to a time, or what is left of the jitter if some of it is gone. What is
// planned stays before the end of the series and, on a calendar, before the next slot: so a jitter
// that is longer than the distance of two slots loses none.
func (g *Grid) disturbed(when, gone int64) int64 {
	if g.Jitter == 0 {
		return when
	}
	window := min(int64(g.Jitter), g.room(when))
	if window <= gone {
		return clock.Later(when, time.Duration(gone))
	}
	return clock.Later(when, time.Duration(gone+rand.N(window-gone)))
}

// room returns how long after its slot, which is the given time, a run may be planned.
func (g *Grid) room(slot int64) int64 {
	switch {
	case !g.Periodic():
	case g.Dates != nil:
		return g.Dates.room(g.Options.Until)
	case g.until != 0 && g.until > slot:
		return g.until - slot
	}
	return clock.Never
}

// standsForAll reports whether a late run makes up for all periods that have passed.
func (g *Grid) standsForAll() bool { return g.CatchUp == Skip || g.CatchUp == Coalesce }

// Bounded reports whether the series may come to an end by itself, see Last.
func (g *Grid) Bounded() bool { return g.MaxRuns > 0 || g.until != 0 || g.Dates != nil }

// planIsOver reports whether the next planned run would come at the end of the series or later.
func (g *Grid) planIsOver() bool {
	if d := g.Dates; d != nil {
		late := !g.Options.Until.IsZero() && !d.slot.Before(g.Options.Until)
		return d.slot.IsZero() || late
	}
	return g.until != 0 && max(g.slot, g.planned) >= g.until
}

// Belated says that the run of a task that runs once was due so long before its submission.
func (g *Grid) Belated(d int64) {
	if g.BeginWithin > 0 && !g.Periodic() {
		g.slot, g.planned = max(g.slot-d, earliest), max(g.planned-d, earliest)
	}
}

// SetDue sets the own time of a task that runs once, unless that is known.
func (g *Grid) SetDue(t int64) {
	if g.planned == 0 {
		g.slot, g.planned = t, t
	}
}

// PutOff returns by how much the jitter has put off the waiting run.
func (g *Grid) PutOff() time.Duration { return time.Duration(min(g.planned-g.slot, g.window())) }
