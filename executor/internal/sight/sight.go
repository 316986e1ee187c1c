package sight

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
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

	expected expected
	shortage shortage
}

var _ run.Watcher = (*Sight)(nil)

// Open has o watched as its settings say. It is called once, before the first task; crew is what o
// says of its workers, and hooked says whether it has hooks around runs.
func Open(o *run.Owner, crew Crew, hooked bool) {
	s := &Sight{owner: o, crew: crew, expected: expected{owner: o, crew: crew}}
	s.expected.health.known = insight.HealthOK
	s.expected.health.sight, s.shortage.sight = s, s
	if c, ok := o.Watch.(*Config); ok {
		s.config = *c
	}
	if s.config.Measure {
		s.insight = newInsight(&s.config)
	}
	if s.config.History {
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

// Config says what is to be watched. The options of package executor fill it in; the zero Config
// asks for nothing that costs anything.
type Config struct {
	Observed  bool // there are observers, or a recording
	Observers Observers
	Measure   bool                            // keep how late and how long runs are
	Logs      bool                            // explain late runs, and log that
	Explain   time.Duration                   // how late these are
	History   bool                            // remember what has happened lately
	Alarms    []*Alarm                        // are told of runs that are very late
	OnHealth  run.Hooks[func(insight.Health)] // are told of the health
	Record    func(*run.Owner) Recorder       // begins a recording; nil if none is wanted
}

// ConfigOf returns what the settings say of that, to be filled in.
func ConfigOf(s *run.Settings) *Config {
	if s.Watch == nil {
		s.Watch = new(Config)
	}
	return s.Watch.(*Config)
}

// ExplainBeyond has runs explained that are later than d, and logged.
func (c *Config) ExplainBeyond(d time.Duration) {
	if d == insight.Any {
		d = 0
	}
	if !c.Logs || d < c.Explain {
		c.Logs, c.Explain = true, d
	}
}
