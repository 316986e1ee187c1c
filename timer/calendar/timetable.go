package calendar

import (
	"time"

	"github.com/punctual-go/punctual/internal/civil"
)

// timetable is a part that has a rule of civil times.
type timetable struct {
	rule   civil.Rule
	text   string // of the times and the zone
	limits string // text of the restrictions
	barren bool   // see there
}

func (p timetable) Next(after time.Time) time.Time {
	if p.barren {
		return time.Time{}
	}
	return p.rule.Next(after)
}

// restrict adds a window to those that are there. There is one search for all of them: the steps of
// searches within searches would multiply.
func (p timetable) restrict(w window) part {
	limited := civil.Restricted{Times: p.rule.Settings().Times, Window: w}
	if old, ok := limited.Times.(civil.Restricted); ok {
		limited = civil.Restricted{Times: old.Times, Window: both{old.Window, w}}
	}
	p.limits += clause(w)
	p.barren = p.barren || barren(limited.Times, limited.Window)
	return p.change(func(s *civil.Settings) { s.Times = limited })
}

func (p timetable) in(zone *time.Location) part {
	if p.rule.Settings().Zone != nil {
		return p
	}
	p.text += " in " + zone.String()
	return p.change(func(s *civil.Settings) { s.Zone = zone })
}

func (p timetable) change(change func(*civil.Settings)) part {
	s := p.rule.Settings()
	change(&s)
	p.rule = civil.NewRule(s)
	return p
}

func (p timetable) zones() []*time.Location { return known(p.rule.Settings().Zone) }

func (p timetable) String() string { return p.text + policies(p.rule.Settings()) + p.limits }

func (p timetable) interval() bool { return p.rule.Settings().Interval }
