package run

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Maker makes the plans of tasks that come to an owner.
type Maker struct {
	*Env

	// Of tasks without a name: the parent of their contexts, which may be nil, and why they end if
	// the owner drops them.
	Unnamed context.Context
	dropped error
}

// NewMaker returns what makes plans in an environment.
func NewMaker(env *Env, unnamed context.Context) Maker {
	m := Maker{Env: env, Unnamed: unnamed}
	m.dropped = m.droppedFor("")
	return m
}

// droppedFor returns why a task by that name ends if the owner drops it.
func (m *Maker) droppedFor(name string) error { return future.CancelledError(m.ShutDown(name)) }

// Init fills in pl for tasks with these options. Detail is what leads from a cell of such a task
// back to the plan.
func (m *Maker) Init(pl *Plan, options series.Options, detail any) {
	// The errors are made here, once for all tasks of the plan: dropping one then allocates
	// nothing.
	base, dropped := m.Unnamed, m.dropped
	if options.Name != "" {
		base, dropped = Labelled(m.Base, m.Name, options.Name), m.droppedFor(options.Name)
		pl.Labels = base
	}
	pl.Series = series.Series{Grid: series.Grid{Options: options}}
	pl.Plan = cell.Plan{
		Host:    m.Host,
		Base:    base,
		Given:   m.Base,
		Timeout: options.Timeout,
		Dropped: dropped,
		Detail:  detail,
	}
	bounded := !options.From.IsZero() || !options.Until.IsZero()
	if bounded {
		pl.Bound(m.bound(options.From), m.bound(options.Until))
	}
	pl.special = bounded || options.MaxRuns > 0 || options.CatchUp == series.Shift ||
		options.Timeout > 0 || options.BeginWithin > 0 || options.Retry.Attempts > 1 ||
		options.PauseAfter > 0 || options.DelayBy != nil || options.Follower != nil ||
		options.SuccessWithin > 0 || options.StartWithin > 0 || options.Within != nil || options.Past != nil
	if options.Timeout > 0 {
		pl.Late = newLate(m.Subject(options.Name), options.Timeout)
	}
	if options.BeginWithin > 0 {
		pl.overtime = &overtime{err: newExpired(m.Subject(options.Name), options.BeginWithin)}
	}
	if options.Values != nil {
		pl.carry()
	}
}

// Copy fills in pl for tasks with a name, and perhaps a priority, as another plan has them, whose
// errors and labels it shares, and with the values of a context, unless that is nil.
func (m *Maker) Copy(pl, like *Plan, detail any, values context.Context) {
	pl.Series = series.Series{Grid: series.Grid{Options: like.Options}}
	pl.Plan = like.Plan
	pl.Detail = detail
	pl.Labels = like.Labels
	if values != nil {
		pl.Values = values
		pl.carry()
	}
}

// Carried returns the part of ctx whose values a task of the owner is to be given, or nil if the
// context has none beside those that each run of the owner knows.
func (m *Maker) Carried(ctx context.Context) context.Context { return cell.Bare(ctx, m.Host) }

// CheckBounds returns an error if a series has no run that is not too late.
func (m *Maker) CheckBounds(pl *Plan, initial time.Duration) error {
	if pl.Past != nil {
		return m.goOn(pl, initial)
	}
	if pl.Until.IsZero() || !pl.Series.Ends(clock.Later(m.Clock.Now(), initial)) {
		return nil
	}
	return m.neverBegins(pl)
}

// neverBegins returns the error with which to refuse a series that Until leaves no run.
func (m *Maker) neverBegins(pl *Plan) error {
	text := "no run comes before Until " + pl.Until.String()
	return m.Refusal(pl.Name, text, Invalid("%s", text))
}

// SetCalendar makes the task one on a calendar, and returns when its first run is due. It returns
// an error if there is none. If the calendar panics, so does SetCalendar.
func (m *Maker) SetCalendar(pl *Plan, c series.Calendar) (at int64, err error) {
	now := m.moment()
	pl.Period = series.OnCalendar
	pl.special, pl.calendar = true, true
	pl.Dates = series.NewDates(c, now.Wall, pl.Options.From)
	before, err := m.before(pl)
	if err != nil {
		return 0, err
	}
	out, err := m.firstOutlook(pl, before, now)
	if err != nil {
		return 0, m.Refusal(pl.Name, "the calendar's first time is not after now", err)
	}
	at, ok := pl.Begin(out, now)
	if !ok {
		if out.Cut {
			return 0, m.neverBegins(pl)
		}
		text := "the calendar has no time after " + pl.Dates.Asked().String()
		return 0, m.Refusal(pl.Name, text, Invalid("%s", text))
	}
	if before != nil {
		pl.GoOnByDates(now)
		pl.noticed = now.Now
	} else if pl.Past != nil {
		return at, m.begins(pl, now.Wall)
	}
	return at, nil
}

// SetTime makes the task one that runs once when the wall clock shows a time, and returns when that
// is.
func (m *Maker) SetTime(pl *Plan, at time.Time) int64 {
	pl.special, pl.Dates = true, series.OnceAt(at)
	return m.moment().On(at)
}
