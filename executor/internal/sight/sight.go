package sight

import (
	"github.com/punctual-go/punctual/executor/internal/run"
)

// Sight is what watches one owner: the tap of its tasks and runs, and what is told of the owner
// itself. Open makes it, and it stays for as long as the owner.
//
// The fields of the first part do not change. The owner's lock guards the second, and what they
// lead to, [Insight] and [History] included.
type Sight struct {
	owner    *run.Owner
	crew     Crew
	config   Config
	insight  *Insight // how late runs have been; nil if that is not asked for
	past     *History // what has happened lately; nil if that is not asked for
	recorder Recorder // nil if nothing is recorded

	expectations []*expectation
	sweepAt      int      // how many there are to be before they are looked through
	dead         []*death // tasks that a failure has ended
	health       health
	shortage     shortage
}

var _ run.Sight = (*Sight)(nil)

// Open has o watched as its settings say. It is called once, before the first task; crew is what o
// says of its workers, and hooked says whether it has hooks around runs.
func Open(o *run.Owner, crew Crew, hooked bool) {
	s := &Sight{owner: o, crew: crew}
	if c, ok := o.Watch.(*Config); ok {
		s.config = *c
	}
	if s.config.Measure != nil {
		s.insight = newInsight(&s.config)
	}
	if s.config.History != nil {
		s.past = new(History)
	}
	if s.config.Record != nil {
		s.recorder, o.Recorded = s.config.Record(o), true
	}
	o.Open(s, s.insight != nil, s.config.Observed, hooked)
}

// Of returns what watches an owner.
func Of(o *run.Owner) *Sight { return o.Sight.(interface{ self() *Sight }).self() }

func (s *Sight) self() *Sight { return s }
