package civil

import (
	"time"

	"github.com/punctual-go/punctual/internal/identity"
)

// Times is a set of civil times.
type Times interface {
	// Next returns the first time of the set that is not before t, or Never.
	Next(t Time) Time
}

// Gap says what becomes of times that a zone leaves out, when its clocks are put forward.
type Gap uint8

// After makes all fixed times inside one gap one, at the first instant after it. Skip drops them.
const (
	After Gap = iota
	Skip
)

// Repeat says which of the instants count at which a zone shows the same time, when its clocks have
// been put back.
type Repeat uint8

// First, Last or Both of the instants count.
const (
	First Repeat = iota
	Last
	Both
)

// Settings are what a rule consists of.
type Settings struct {
	Times    Times
	Zone     *time.Location // nil for that of the time asked
	Interval bool           // the times are like an interval: Gap and Repeat do not matter
	Gap      Gap
	Repeat   Repeat
	Splay    time.Duration // each instant comes so much later
}

// Equal reports whether two rules with these settings are the same; zones go by their names.
func (s Settings) Equal(other Settings) bool {
	zonesEqual := identity.Zones(s.Zone, other.Zone)
	s.Zone, other.Zone = nil, nil
	return zonesEqual && s == other
}

// Rule finds the instants at which a zone shows times of a set. It is a value, and keeps no state.
//
// Times are fixed, unless they are like an interval: then each instant counts at which the zone
// shows one, so that "every quarter of an hour" comes every fifteen minutes, whatever clocks do.
type Rule struct{ settings Settings }

// NewRule returns the rule with these settings.
func NewRule(s Settings) Rule { return Rule{s} }

// Settings returns what the rule consists of.
func (r Rule) Settings() Settings { return r.settings }

// Ruler is what can be restricted to some civil times: a schedule that has a rule inside. A
// schedule embeds it under an alias that is not exported, so that its documentation has no word
// about it.
type Ruler interface{ Settings() Settings }

// Next returns the first instant of the rule that is later than the given one, in the zone of that
// one, or the zero time if there is none. It does not allocate.
func (r *Rule) Next(after time.Time) time.Time {
	s := search{Settings: r.settings, zone: r.settings.Zone} // a pointer would cost an allocation
	if s.zone == nil {
		s.zone = after.Location()
	}
	if s.Times == nil || after.Unix() >= latest {
		return time.Time{}
	}
	x := -latest
	if after.Unix() > x {
		x = after.Add(-s.Splay).Unix()
	}
	x, ok := s.after(x)
	if !ok {
		return time.Time{}
	}
	return time.Unix(x, int64(s.Splay)).In(after.Location())
}

const (
	// near is longer than any change of a zone's offset, which is a day and two hours at most, so
	// that a change farther away does not touch a time.
	near = 2 * secondsPerDay

	// lastChange is a time after which all changes of zones follow rules, which repeat themselves
	// with the calendar: their tables end before.
	lastChange Time = (2100 - 1970) * 366 * secondsPerDay

	// latest is a time after which none is looked for, nor so long before the epoch. Years are
	// numbers of 32 bits until then.
	latest int64 = 1 << 55
)

// search goes from one period of a zone to the next: spans of time during which its offset does not
// change. In each it looks for the next civil time from the first that it has not looked at.
type search struct {
	Settings
	zone   *time.Location
	period period
}

// after returns the first instant of the rule after x.
func (s *search) after(x int64) (int64, bool) {
	s.period = periodAt(s.zone, x)
	from := s.period.show(x + 1)
	until := max(from, lastChange) + cycle + near
	since := x + 1 // from which instant on the period is searched
	for {
		t := s.Times.Next(from)
		mayRepeat := s.period.end-since <= near // what is before from, in the next period
		switch {
		case t > until && !mayRepeat:
			return 0, false
		case t > until: // none is left, but one may come again
		case s.period.instant(t) < s.period.end:
			at := s.period.instant(t)
			if s.counts(t, at) {
				return at, true
			}
			from, since = t+1, at // the time comes again: what was found is no proof for a while
			continue
		case s.inGap(t):
			return s.period.end, true
		case !mayRepeat && s.period.instant(t)-near > s.period.end:
			since = s.period.instant(t) - near
			s.period = periodAt(s.zone, since) // no time before t comes between, also not once more
			from = t
			continue
		}
		since = s.period.end
		s.period = periodAt(s.zone, since)
		from = s.period.show(since)
	}
}

// counts reports whether the instant counts at which the period shows a time.
func (s *search) counts(t Time, at int64) bool {
	if s.Interval {
		return true
	}
	switch s.Repeat {
	case First:
		return at-s.period.start >= near || !s.shownBefore(t, at)
	case Last:
		return s.period.end-at > near || !s.shownAfter(t, at)
	}
	return true
}

// inGap reports whether the change at the end of the period leaves out a time of the set, and that
// is to be made up for. No time of the set from the one at which the end comes is before t.
func (s *search) inGap(t Time) bool {
	if s.Interval || s.Gap == Skip || s.period.end == forEver {
		return false
	}
	next := periodAt(s.zone, s.period.end)
	for t < next.show(next.start) {
		if at := s.period.instant(t); !s.shownBefore(t, at) && !s.shownAfter(t, at) {
			return true
		}
		t = s.Times.Next(t + 1) // periods around this one are so short that one of them shows t
	}
	return false
}

// shownBefore reports whether a period before this one shows the time.
func (s *search) shownBefore(t Time, at int64) bool {
	for p := s.period; p.start > at-near; {
		p = periodAt(s.zone, p.start-1)
		if p.shows(t) {
			return true
		}
	}
	return false
}

// shownAfter reports whether a period after this one shows the time.
func (s *search) shownAfter(t Time, at int64) bool {
	for p := s.period; p.end < at+near; {
		p = periodAt(s.zone, p.end)
		if p.shows(t) {
			return true
		}
	}
	return false
}
