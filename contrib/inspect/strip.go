package inspect

import (
	"time"

	"github.com/punctual-go/punctual/executor/insight"
)

// strip is what has happened in the last ten minutes beside what is planned for the next ten. The
// bin in the middle is the present: it has some of both.
type strip struct {
	From  time.Time `json:"from"`
	Width span      `json:"width"` // of a bin
	Bins  []bin     `json:"bins"`

	// Until is up to where the plan is known: not to the end if too much waits.
	Until time.Time `json:"planned_until"`
	// Together is up to where it is known what starts at the same moment.
	Together time.Time `json:"together_until"`
	// Cut is of how many tasks on a calendar only the next runs are planned: there are too many, or
	// the calendar does not answer.
	Cut     int `json:"calendars_cut,omitzero"`
	Workers int `json:"workers"`
}

const (
	binWidth = 5 * time.Second
	binsBack = 120 // and as many ahead
	allBins  = 2*binsBack + 1

	// mostPlanned is of how many periodic tasks all runs are planned; of more, only the next runs.
	mostPlanned = 2000
	// mostWalked is how many times of calendars are looked at, and mostOfOne how many of one.
	mostWalked = 20_000
	mostOfOne  = 1000
	// mostTogether is how many single starts are looked at to find those of the same moment: the
	// first ones, whosever they are.
	mostTogether = 20_000
	// shortest is the period from which on that is done.
	shortest = time.Second
)

// bin is the runs that have begun or expired within five seconds, or will begin.
type bin struct {
	Runs     uint64 `json:"runs,omitzero"`
	Failures uint64 `json:"failures,omitzero"`
	Skipped  uint64 `json:"skipped,omitzero"`
	Expired  uint64 `json:"expired,omitzero"`
	Late     span   `json:"late,omitzero"` // the one that was latest
	Name     text   `json:"name,omitempty"`
	Number   uint64 `json:"number,omitzero"`
	Took     span   `json:"took,omitzero"`

	Planned  uint64 `json:"planned,omitzero"`
	First    text   `json:"first,omitempty"`   // of those
	Together int    `json:"together,omitzero"` // the most that start at one moment

	first time.Duration // when, from where the strip begins
}

// strip returns that of a pool or loop; nil if nothing is remembered and nothing planned.
func (s *seen) strip(a *asker) *strip {
	edge := s.at.Truncate(binWidth)
	t := &strip{From: edge.Add(-binsBack * binWidth), Width: span(binWidth),
		Bins: make([]bin, allBins), Until: edge.Add((binsBack + 1) * binWidth),
		Workers: max(s.figures.Core, s.figures.Workers)}
	for _, second := range s.history().Seconds {
		// The pool's seconds are not those of the wall clock: what counts is where the middle is.
		if b := t.bin(second.At.Add(500 * time.Millisecond)); b != nil {
			b.add(second)
		}
	}
	newPlanner(t, s, a).plan(s)
	return t
}

// bin returns the bin of a time, or nil.
func (t *strip) bin(at time.Time) *bin {
	d := at.Sub(t.From)
	if d < 0 || d >= allBins*binWidth {
		return nil
	}
	return &t.Bins[d/binWidth]
}

func (x *bin) add(s insight.Second) {
	if s.Runs > 0 && (x.Runs == 0 || span(s.Late) > x.Late) {
		x.Late, x.Name, x.Number, x.Took = span(s.Late), text(named(s.Name)), s.Number, span(s.Took)
	}
	x.Runs += s.Runs
	x.Failures += s.Failures
	x.Skipped += s.Skipped
	x.Expired += s.Expired
}
