package calendar

import (
	"fmt"
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// From returns the times of a calendar that are not before begin.
func From(c Calendar, begin time.Time) Schedule {
	begin = begin.Round(0).UTC()
	return scheduleOf(c).with(func(p part) part { return from{p, begin} })
}

// Until returns the times of a calendar that are before end: one that is at end itself is not.
func Until(c Calendar, end time.Time) Schedule {
	end = end.Round(0).UTC()
	return scheduleOf(c).with(func(p part) part { return until{p, end} })
}

// from is a part with a beginning.
type from struct {
	part  part
	begin time.Time
}

func (f from) Next(after time.Time) time.Time {
	if !after.Before(f.begin) {
		return f.part.Next(after)
	}
	asked := f.begin.In(after.Location())
	if i, ok := f.part.(instants); !ok || !i.counts { // if so, the beginning is what it counts from
		asked = asked.Add(-1)
	}
	next := f.part.Next(asked)
	if !next.IsZero() && !next.After(asked) {
		return after // whoever has asked can see that it does not go on
	}
	return next
}

func (f from) restrict(w window) part { return from{f.part.restrict(w), f.begin} }

func (f from) in(zone *time.Location) part { return from{f.part.in(zone), f.begin} }

func (f from) change(change func(*civil.Settings)) part {
	return from{f.part.change(change), f.begin}
}

func (f from) zones() []*time.Location { return f.part.zones() }

func (f from) String() string {
	return fmt.Sprintf("%v, from %s", f.part, f.begin.Format(time.RFC3339Nano))
}

// until is a part with an end.
type until struct {
	part part
	end  time.Time
}

func (u until) Next(after time.Time) time.Time {
	if !after.Before(u.end) {
		return time.Time{}
	}
	next := u.part.Next(after)
	if !next.Before(u.end) {
		return time.Time{}
	}
	return next
}

func (u until) restrict(w window) part { return until{u.part.restrict(w), u.end} }

func (u until) in(zone *time.Location) part { return until{u.part.in(zone), u.end} }

func (u until) change(change func(*civil.Settings)) part {
	return until{u.part.change(change), u.end}
}

func (u until) zones() []*time.Location { return u.part.zones() }

func (u until) String() string {
	return fmt.Sprintf("%v, until %s", u.part, u.end.Format(time.RFC3339Nano))
}

func (f from) interval() bool { return f.part.interval() }

func (u until) interval() bool { return u.part.interval() }
