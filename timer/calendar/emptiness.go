package calendar

import "github.com/punctual-go/punctual/internal/civil"

// barren reports whether it can be known at once that none of the times will ever be in the window.
// To find it out takes some milliseconds at most, but only here: of a union of breakfast, lunch and
// dinner within the morning, two thirds would search 400 years each time.
func barren(times civil.Times, w civil.Window) bool {
	clock := times
	if p, ok := times.(civil.Pattern); ok && !p.Empty() {
		p.Months = everyMonth
		p.Days = civil.Days{Numbers: civil.AllNumbers, Weekdays: civil.AllWeekdays}
		clock = p
	}
	const tomorrow = civil.Day(1)
	hoursAlone := civil.Restricted{Times: clock, Window: blurred(w, true, true)}
	if hoursAlone.Next(0) >= tomorrow.At(0) {
		return true
	}
	return civil.Restricted{Times: times, Window: blurred(w, false, true)}.Next(0) == civil.Never
}

// blurred returns a window that is open at least whenever w is, and repeats itself with the
// calendar, after 400 years. If it is for hours alone, it does so each day. If open is false, it is
// closed at least whenever w is.
func blurred(w civil.Window, hoursAlone, open bool) civil.Window {
	switch w := w.(type) {
	case both:
		return both{blurred(w.a, hoursAlone, open), blurred(w.b, hoursAlone, open)}
	case allOf:
		return blurred(w.both, hoursAlone, open)
	case either:
		return either{blurred(w.a, hoursAlone, open), blurred(w.b, hoursAlone, open)}
	case not:
		return not{blurred(w.closed, hoursAlone, !open)}
	case hours, never:
		return w
	case dates, cadence:
		return always(open)
	}
	if hoursAlone {
		return always(open)
	}
	return w
}

// always is always open, or never.
type always bool

func (w always) Look(civil.Time) (inside bool, until civil.Time) { return bool(w), civil.Never }

// all times there are.
type all struct{}

func (all) Next(t civil.Time) civil.Time { return t }
