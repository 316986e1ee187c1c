package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// overview is the first view: everything in a line each.
type overview struct {
	At      time.Time           `json:"at"`
	Status  string              `json:"status"`            // of the worst
	Shows   string              `json:"shows"`             // likewise, and what is wrong beside that
	Wrong   wrong               `json:"wrong"`             // of all
	Deeds   []shownDeed         `json:"actions,omitempty"` // the last ones of this page
	Sources []summary           `json:"sources"`
	Panels  []*panelView        `json:"panels,omitempty"`
	Process process             `json:"process"`
	*rolled `json:",omitempty"` // only if it is asked for
}

// summary is a source in a line.
type summary struct {
	Name       text      `json:"name"`
	Kind       string    `json:"kind"`
	Path       string    `json:"path"` // below the address of the page
	Health     condition `json:"health"`
	Shows      string    `json:"shows"` // ok, or what is wrong
	*figures   `json:",omitempty"`
	Rates      *rates      `json:"rates,omitempty"` // a second
	Supervised *supervised `json:"supervised,omitempty"`

	Measured *measuredPair `json:"histograms,omitempty"`
}

// measuredPair is the two histograms of a source.
type measuredPair struct {
	Late *chart `json:"late"`
	Took *chart `json:"took"`
}

func (s *snapshot) overview() overview {
	o := overview{At: s.at, Status: insight.HealthOK, Shows: insight.HealthOK, Sources: []summary{},
		Wrong: s.wrong(), Deeds: s.deeds(), Process: s.process}
	for _, src := range s.sources {
		sum := src.summary()
		if sum.figures != nil && sum.Late != nil {
			m := src.measurements()
			sum.Measured = &measuredPair{newChart(&m.Late), newChart(&m.Took)}
		}
		o.Status = worse(o.Status, sum.Health.Status)
		o.Shows = worseShown(o.Shows, sum.Shows)
		o.Sources = append(o.Sources, sum)
	}
	cards, ill, shows := s.onIndex()
	o.Panels, o.Shows = cards, worseShown(o.Shows, shows)
	o.Wrong.add(ill)
	return o
}

func (s *seen) summary() summary {
	sum := summary{Name: text(s.title()), Kind: s.kind, Path: s.path(), figures: s.figures,
		Rates: s.rates, Health: newCondition(s.health, s.page.redactor), Shows: s.shows()}
	if s.supervisor != nil {
		sum.Supervised = s.supervised()
	}
	return sum
}

// condition is how a source is, and the first of its tasks for which that is not well.
type condition struct {
	Status string         `json:"status"`
	Reason string         `json:"reason,omitempty"`
	States map[string]int `json:"states,omitempty"` // how many tasks are in which
	Tasks  []sick         `json:"tasks,omitempty"`
}

// sick is a task of which something is expected that does not hold.
type sick struct {
	Name   text      `json:"name"`
	State  string    `json:"state"`
	Reason string    `json:"reason"`
	Since  time.Time `json:"since"`
}

const mostSick = 20

func newCondition(h insight.Health, r *redactor) condition {
	c := condition{Status: h.Status, Reason: r.reason(h.Reason)}
	for _, t := range h.Tasks {
		if c.States == nil {
			c.States = map[string]int{}
		}
		c.States[t.State]++
		if (t.State == "late" || t.State == "failed") && len(c.Tasks) < mostSick {
			c.Tasks = append(c.Tasks, sick{text(named(t.Name)), t.State,
				r.reason(t.Reason), t.Since})
		}
	}
	return c
}

// worse returns the worse of two statuses.
func worse(a, b string) string {
	for _, s := range []string{insight.HealthDown, insight.HealthDegraded} {
		if a == s || b == s {
			return s
		}
	}
	return insight.HealthOK
}
