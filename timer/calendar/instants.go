package calendar

import (
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// instants is a part that knows nothing of civil times. It is restricted by what a clock shows at
// the instants that it tells.
type instants struct {
	source Calendar
	zone   *time.Location // nil for that of the time asked
	counts bool           // from the time asked
	place  string         // text of a zone that this package added
	window civil.Window   // nil for all times
	limits string         // text of the window
	barren bool           // the window is never open
}

// How far a search among instants goes: a cycle of the calendar, and so many answers.
const (
	farthest    = 146_097 * 24 * 60 * 60 // in seconds
	mostAnswers = 100_000
)

func (p instants) Next(after time.Time) time.Time {
	if p.barren {
		return time.Time{}
	}
	last, at := after.Unix()+farthest, after
	for range mostAnswers {
		next := p.source.Next(located(at, p.zone)).Round(0)
		switch {
		case next.IsZero():
			return time.Time{}
		case !next.After(at):
			return after // whoever has asked can see that it does not go on
		case p.window == nil:
			return next.In(after.Location())
		}
		shown := located(next, p.zone)
		inside, open := p.look(shown)
		switch {
		case inside:
			return next.In(after.Location())
		case open.IsZero() || open.Unix() > last:
			return time.Time{}
		}
		at = skip(at, next, open).In(after.Location())
	}
	return time.Time{}
}

// look reports whether a time is in the window, and else the next one that might be, or the zero
// time if there is none. While the offset of the zone changes, time is not looked beyond.
func (p instants) look(t time.Time) (inside bool, open time.Time) {
	_, offset := t.Zone()
	shown := civil.Time(t.Unix() + int64(offset))
	inside, until := p.window.Look(shown)
	if inside {
		return true, t
	}
	_, end := t.ZoneBounds()
	switch {
	case end.IsZero() && until == civil.Never:
		return false, time.Time{}
	case until != civil.Never:
		open = time.Unix(int64(until)-int64(offset), 0)
	}
	if !end.IsZero() && (open.IsZero() || end.Before(open)) {
		open = end
	}
	return false, open
}

// skip returns the time to ask about after an answer that is outside. None is wanted before open,
// so that many can be left out at once. It goes in steps as long as the last one: so a calendar
// that counts from the time asked keeps its times.
func skip(asked, answer, open time.Time) time.Time {
	step, left := answer.Sub(asked), open.Sub(answer)-1
	if left < step {
		return answer
	}
	return answer.Add(left / step * step)
}

func (p instants) restrict(w window) part {
	p.limits += clause(w)
	if p.window == nil {
		p.window = w
	} else {
		p.window = both{p.window, w}
	}
	p.barren = p.barren || barren(all{}, p.window)
	return p
}

func (p instants) in(zone *time.Location) part {
	if p.zone == nil {
		p.zone, p.place = zone, " in "+zone.String()
	}
	return p
}

func (p instants) change(func(*civil.Settings)) part { return p }

// zones asks a calendar of the user's own for its zone.
func (p instants) zones() []*time.Location {
	zone := p.zone
	if z, ok := p.source.(interface{ Zone() *time.Location }); ok && zone == nil {
		zone = z.Zone()
	}
	return known(zone)
}

func (p instants) String() string { return nameOf(p.source) + p.place + p.limits }

func (p instants) interval() bool {
	i, ok := p.source.(interface{ Interval() bool })
	return ok && i.Interval()
}
