package calendar

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// Within returns the times of a calendar that are in one of the windows. [All] makes one of windows
// that have to be open together. It panics without a window.
//
// Schedules of this package and of package cron are restricted by their civil times, those in a gap
// included. For [Every], @every of package cron, and a calendar of your own, it is what a clock
// shows at the times that they tell: in their zone, see [Schedule.In], or else in the location of
// the answer. What is outside of the windows is skipped and not walked through; after 100,000
// answers that are all outside the calendar is taken to have none inside.
func Within(c Calendar, windows ...Window) Schedule {
	s := scheduleOf(c)
	if len(windows) == 0 {
		panic("calendar: Within has no window")
	}
	w := anyOf(windows)
	return s.with(func(p part) part { return p.restrict(w) })
}

// Except returns the times of a calendar that are in none of the windows. For all else, see
// [Within].
func Except(c Calendar, windows ...Window) Schedule {
	s := scheduleOf(c)
	if len(windows) == 0 {
		return s
	}
	w := not{anyOf(windows)}
	return s.with(func(p part) part { return p.restrict(w) })
}

// Union returns the times of all the calendars. Times that fall together are one. A union of none
// never comes.
func Union(calendars ...Calendar) Schedule {
	var all part
	for i := len(calendars) - 1; i >= 0; i-- {
		p := scheduleOf(calendars[i]).part
		switch {
		case p == nil:
		case all == nil:
			all = p
		default:
			all = union{p, all}
		}
	}
	return scheduleWith(all)
}

// union is what two parts have together.
type union struct{ a, b part }

func (u union) Next(after time.Time) time.Time {
	a, b := u.a.Next(after), u.b.Next(after)
	if b.IsZero() || !a.IsZero() && a.Before(b) {
		return a
	}
	return b
}

func (u union) restrict(w window) part { return union{u.a.restrict(w), u.b.restrict(w)} }

func (u union) in(zone *time.Location) part { return union{u.a.in(zone), u.b.in(zone)} }

func (u union) change(change func(*civil.Settings)) part {
	return union{u.a.change(change), u.b.change(change)}
}

func (u union) zones() []*time.Location { return append(u.a.zones(), u.b.zones()...) }

func (u union) String() string { return fmt.Sprintf("%v; %v", u.a, u.b) }

func (u union) interval() bool { return u.a.interval() && u.b.interval() }
