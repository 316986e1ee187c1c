package civil

import "time"

// Calendar tells which time comes after another, as those of package calendar do.
type Calendar interface {
	Next(after time.Time) time.Time
}

// Previous returns the last time of a calendar that is earlier than before, or the zero time if
// there is none.
//
// A calendar's answers do not go back as the question goes on: if x is not later than y, Next(x) is
// not later than Next(y). So whether Next(x) is earlier than before changes once, at the time that
// is looked for, and it is found by asking: farther and farther back until an answer is early
// enough, and then by halves. What becomes of times in gaps and of repeated ones is the affair of
// Next alone; this is its inverse, whatever it does.
//
// If the times are about evenly spaced it asks three or four times, and otherwise at most some
// twice the binary logarithm of the longest distance to the shortest. Of a calendar that breaks its
// contract the answer is wrong, and there is one.
func Previous(c Calendar, before time.Time) time.Time {
	l := look{c, before.Round(0)}
	last, bound, early := l.back()
	for early {
		var t time.Time
		if t, early = l.ask(last); !early {
			break
		}
		last = t
		middle := last.Add(bound.Sub(last) / 2)
		if t, early := l.ask(middle); early {
			last = t
		} else {
			bound = middle
		}
	}
	return last
}

// look looks for the last time before one.
type look struct {
	calendar Calendar
	before   time.Time
}

// ask returns the time that comes after x, and whether that is early enough.
func (l look) ask(x time.Time) (t time.Time, early bool) {
	t = l.calendar.Next(x)
	return t, t.After(x) && t.Before(l.before)
}

// back returns a time that is early enough, and a bound: what comes after that is not.
func (l look) back() (found, bound time.Time, early bool) {
	const century = 100 * 365 * 24 * time.Hour
	ahead, _ := l.ask(l.before)
	bound = l.before
	for d := max(ahead.Sub(l.before), time.Second); d < century && !ahead.IsZero(); d *= 8 {
		from := l.before.Add(-d)
		if ahead, early = l.ask(from); early {
			return ahead, bound, true
		}
		bound = from
	}
	// Nothing is close; or nothing comes for centuries, which is expensive to find out.
	beginning := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for years := 100; bound.After(beginning); years *= 8 {
		from := l.before.AddDate(-years, 0, 0)
		if from.Before(beginning) {
			from = beginning.In(l.before.Location())
		}
		if found, early = l.ask(from); early {
			return found, bound, true
		}
		bound = from
	}
	return time.Time{}, bound, false
}
