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
}

func (p timetable) Next(after time.Time) time.Time { return p.rule.Next(after) }

// restrict adds a window to those that are there. There is one search for all of them: the steps of
// searches within searches would multiply.
func (p timetable) restrict(w window) part {
	p.limits += clause(w)
	return p.change(func(s *civil.Settings) {
		if old, ok := s.Times.(civil.Restricted); ok {
			s.Times = civil.Restricted{Times: old.Times, Window: both{old.Window, w}}
			return
		}
		s.Times = civil.Restricted{Times: s.Times, Window: w}
	})
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

func (p timetable) String() string { return p.text + policies(p.rule.Settings()) + p.limits }
