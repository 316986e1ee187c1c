package inspect

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// snapshot is everything that the viewers of one moment see. What only some addresses show is
// looked at when the first of them asks, so nobody pays for what nobody looks at.
type snapshot struct {
	at      time.Time
	sources []*seen
	panels  []*hosted
	process process
	fleet   *fleetSeen // what a fleet shows instead of sources

	views sync.Map // from shownAt to func() rendered
	kept  atomic.Int64
}

const (
	// tick is the time from one snapshot to the next while somebody is kept up to date.
	tick = 500 * time.Millisecond
	// fresh is for how long a snapshot is shown to whoever comes.
	fresh = tick
)

// seen is a source at the moment of a snapshot.
type seen struct {
	*source
	page       *Page
	born       string // of the page
	at         time.Time
	figures    *figures
	rates      *rates
	refusing   refusing
	health     insight.Health
	supervisor *supervisor.Stats
	stood      *standing // where a run stood when somebody asked last; nil if nobody has

	running      func() []executor.Running
	next         func() []executor.Pending
	measurements func() insight.Measurements
	history      func() insight.History
	tasks        func() *index
	briefs       func() []brief // of the tasks, in the same order
	troubles     func() []insight.Trouble
	logged       func() map[string]string // the names of tasks of whose runs lines are kept, by hash
	ills         func() ills
}

// nextSeen is how many of the tasks that wait are looked at, in the order in which they are due.
const nextSeen = 1000

// snapshot returns the last snapshot, or a new one if that is older than allowed.
func (p *Page) snapshot(age time.Duration) *snapshot {
	if p.fleet != nil {
		return p.fleet.snapshot()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.last != nil && !p.stale && time.Since(p.last.at) <= age {
		return p.last
	}
	now := time.Now()
	before := p.last
	p.stale = false
	p.last = &snapshot{at: now, panels: p.panels, process: p.process}
	for i, src := range p.sources {
		s := p.see(src, now)
		if before != nil && s.figures != nil {
			s.rates, s.refusing = s.since(before.sources[i]), s.refusingSince(before.sources[i])
		}
		p.last.sources = append(p.last.sources, s)
	}
	return p.last
}

// see looks at a source, with the page's lock held.
func (p *Page) see(src *source, now time.Time) *seen {
	s := &seen{source: src, page: p, born: p.born, at: now, figures: src.figures(), health: src.health(),
		stood: p.stacks.of(src, now)}
	s.running = sync.OnceValue(src.running)
	s.measurements = sync.OnceValue(src.measurements)
	s.history = sync.OnceValue(src.history)
	s.troubles = sync.OnceValue(s.findTroubles)
	s.logged = sync.OnceValue(s.loggedTasks)
	s.ills = sync.OnceValue(s.findIlls)
	s.next = func() []executor.Pending { return nil }
	s.tasks = func() *index { return new(index) }
	s.briefs = func() []brief { return nil }
	switch src.kind {
	case aSupervisor:
		stats := src.supervisor.Stats()
		s.supervisor = &stats
	case aPool:
		s.next = sync.OnceValue(func() []executor.Pending { return src.pool.Next(nextSeen) })
		s.tasks = sync.OnceValue(func() *index {
			p.mu.Lock()
			defer p.mu.Unlock()
			src.tasks.update(src.pool.Series())
			return &index{entries: src.tasks.entries, byID: src.tasks.byID}
		})
		s.briefs = sync.OnceValue(func() []brief {
			entries := s.tasks().entries
			p.mu.Lock()
			defer p.mu.Unlock()
			return src.scan.of(entries, s)
		})
	}
	return s
}

// find returns the source with this path, or nil.
func (s *snapshot) find(path string) *seen {
	for _, src := range s.sources {
		if src.path() == path {
			return src
		}
	}
	return nil
}
