package main

import (
	"testing"
	"time"

	"github.com/punctual-go/punctual/bench/soak/drill"
)

// pretended is a process of a soak that takes no time but that of the clock.
type pretended struct {
	row    *row
	job    drill.Job
	length time.Duration
	places int
	ends   time.Time
}

// pretend does a soak that goes by the time, on a clock of its own. Rows differ in how fast they
// are, by a factor of a thousand. It returns how long the soak takes.
func pretend(s *schedule, parallel int) time.Duration {
	now := time.Unix(0, 0)
	s.clock.now = func() time.Time { return now }
	s.begin()
	var at []pretended
	free := parallel
	for s.clock.left() > 0 || len(at) > 0 {
		for s.clock.left() > 0 {
			p := pretended{row: s.next(), places: 1}
			if p.row.alone {
				p.places = parallel
			}
			for free < p.places {
				at, free, now = oneEnds(at, free)
			}
			free -= p.places
			p.job, p.length = s.job(p.row)
			p.ends = now.Add(p.row.pretendedTime(p.job))
			at = append(at, p)
		}
		for len(at) > 0 {
			at, free, now = oneEnds(at, free)
		}
	}
	return now.Sub(time.Unix(0, 0))
}

// oneEnds lets the process come to its end that is the next to.
func oneEnds(at []pretended, free int) (rest []pretended, places int, now time.Time) {
	next := 0
	for i, p := range at {
		if p.ends.Before(at[next].ends) {
			next = i
		}
	}
	p := at[next]
	took := p.row.pretendedTime(p.job)
	ops := int64(took.Seconds() * p.row.pretendedSpeed())
	p.row.done(p.job, drill.Report{Seeds: 1, Ops: ops})
	p.row.returned(p.length, took*time.Duration(p.places))
	return append(at[:next:next], at[next+1:]...), free + p.places, p.ends
}

func (r *row) pretendedSpeed() float64 {
	if r.part == drill.Years {
		return 0.5
	}
	return []float64{1_000_000, 50_000, 1000}[len(r.kind)%3]
}

func (r *row) pretendedTime(j drill.Job) time.Duration {
	ops := float64(j.Ops)
	if !r.single {
		ops = float64(j.Seeds * max(r.perSeed, j.Ops))
	}
	took := time.Duration(ops/r.pretendedSpeed()*float64(time.Second)) + 50*time.Millisecond
	if j.Length > 0 {
		took = min(took, j.Length+50*time.Millisecond)
	}
	return took
}

func TestASoakByTheTimeGivesEachRowAShare(t *testing.T) {
	for _, length := range []string{"4m", "8m", "1h"} {
		o, err := parse([]string{"-for", length}, nil)
		if err != nil {
			t.Fatal(err)
		}
		s := newSchedule(o, true)
		pretend(s, 2)
		spent := map[section]time.Duration{}
		for _, r := range s.rows {
			if r.report.Seeds == 0 {
				t.Errorf("-for %s: nothing has been done of %s %s", length, r.label(), r.kind)
			}
			spent[r.section] += r.spent
		}
		all := 0.0
		for _, w := range weights {
			all += w
		}
		for name, w := range weights {
			if share := spent[name].Seconds() / (2 * o.length.Seconds()); share < w/all/2 {
				t.Errorf("-for %s: %s has had %.3f of the time, and should have %.3f", length, name, share, w/all)
			}
		}
	}
}

func TestASoakByTheTimeEndsWhenItSays(t *testing.T) {
	for _, length := range []string{"30s", "8m", "1h"} {
		o, err := parse([]string{"-for", length}, nil)
		if err != nil {
			t.Fatal(err)
		}
		took := pretend(newSchedule(o, true), 2)
		if took < o.length || took > o.length+overrun {
			t.Errorf("-for %s takes %v", length, took)
		}
	}
}
