package calendar

import (
	"slices"

	"github.com/punctual-go/punctual/internal/identity"
)

// Equal reports whether two schedules mean the same. It holds more often than ==: zones count by
// their names, as one that is loaded twice is two locations; of a [Union] the order does not
// matter; and of calendars of your own counts what their Equal methods say or, without one, their
// values and texts. Functions inside of them do not count, nor what is behind pointers.
func (s Schedule) Equal(other Schedule) bool {
	v, _ := s.Compare(other)
	return v != identity.Other
}

// Compare implements [identity.Comparer].
func (c content) Compare(other any) (v identity.Verdict, ok bool) {
	o, ok := other.(Schedule)
	switch {
	case !ok:
		return v, false
	case c.part == nil || o.part == nil:
		return identity.Certain(c.part == nil && o.part == nil), true
	}
	return c.part.compare(o.part), true
}

func (p timetable) compare(other part) identity.Verdict {
	o, ok := other.(timetable)
	return identity.Certain(ok && p.rule.Settings().Equal(o.rule.Settings()))
}

func (p instants) compare(other part) identity.Verdict {
	o, ok := other.(instants)
	if !ok || p.counts != o.counts || p.window != o.window || !identity.Zones(p.zone, o.zone) {
		return identity.Other
	}
	return identity.Compare(p.source, o.source)
}

func (f from) compare(other part) identity.Verdict {
	o, ok := other.(from)
	if !ok || !f.begin.Equal(o.begin) {
		return identity.Other
	}
	return f.part.compare(o.part)
}

func (u until) compare(other part) identity.Verdict {
	o, ok := other.(until)
	if !ok || !u.end.Equal(o.end) {
		return identity.Other
	}
	return u.part.compare(o.part)
}

// compare finds for each part of the union one of the other.
func (u union) compare(other part) (all identity.Verdict) {
	parts, others := partsOf(u), partsOf(other)
	if len(parts) != len(others) {
		return identity.Other
	}
	for _, p := range parts {
		best, at := identity.Other, -1
		for i, o := range others {
			v := p.compare(o)
			if v == identity.Same || v == identity.Unknown && best == identity.Other {
				best, at = v, i
			}
			if v == identity.Same {
				break
			}
		}
		switch best {
		case identity.Other:
			return identity.Other
		case identity.Unknown:
			all = identity.Unknown
		}
		others = slices.Delete(others, at, at+1)
	}
	return all
}

// partsOf returns the parts of a union, or the one that is none.
func partsOf(p part) []part {
	if u, ok := p.(union); ok {
		return append(partsOf(u.a), partsOf(u.b)...)
	}
	return []part{p}
}
