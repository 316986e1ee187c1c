package inspect

import (
	"fmt"
	"regexp"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/supervisor"
)

// Source is what a page can show: an *executor.Pool, an *executor.ScheduledPool, an
// *eventloop.Loop, or a *supervisor.Supervisor. In a type that has one of them embedded, show that.
type Source = insight.Source

// Strict returns a source for which [Health] and [Ready], and the same of a page, answer with 503
// also while it is degraded: a task is late, a failure has ended a series, or no worker has been
// free for a minute. Use it where a restart, or no traffic, helps against that. It panics if s
// can't be shown.
func Strict(s Source) Source {
	newSource(s)
	return strict{s}
}

type strict struct{ Source }

// The kinds of sources.
const (
	aPool       = "pool"
	aLoop       = "event loop"
	aSupervisor = "supervisor"
)

// source is a Source that is shown.
type source struct {
	id         string // in addresses
	number     int    // among those of the page, from 0 on
	kind       string
	name       string
	pool       *executor.Pool
	jobs       *executor.ScheduledPool // the same, if it may have jobs; else nil
	loop       *eventloop.Loop
	supervisor *supervisor.Supervisor
	strict     bool // a probe answers with 503 while it is degraded

	tasks  index        // of a pool; the page's lock guards it
	scan   scan         // of these; the page's lock guards it
	silent atomic.Int32 // how many of their calendars do not answer
}

// newSource panics if s is of another type than those of [Source]: that is a mistake in the
// program, and found when it starts.
func newSource(s Source) *source {
	src := new(source)
	switch s := s.(type) {
	case strict:
		src = newSource(s.Source)
		src.strict = true
		return src
	case *executor.ScheduledPool:
		src.kind, src.pool, src.jobs = aPool, &s.Pool, s
	case *executor.Pool:
		src.kind, src.pool = aPool, s
	case *eventloop.Loop:
		src.kind, src.loop = aLoop, s
	case *supervisor.Supervisor:
		src.kind, src.supervisor = aSupervisor, s
	default:
		panic(fmt.Sprintf("inspect: a %T can't be shown; if there is a pool, loop or supervisor in it, "+
			"that can", s))
	}
	src.name = src.named()
	return src
}

var plainName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// newSources gives each source an address that stays: its name, if that can be one and nobody else
// has it, or else its number.
func newSources(list []Source) (sources []*source) {
	taken := map[string]int{}
	for _, s := range list {
		src := newSource(s)
		sources = append(sources, src)
		taken[src.name]++
	}
	for i, src := range sources {
		src.id, src.number = fmt.Sprintf("-%d", i+1), i
		if plainName.MatchString(src.name) && taken[src.name] == 1 {
			src.id = src.name
		}
	}
	return sources
}

// path returns the address of the source, below that of the page.
func (s *source) path() string {
	return map[string]string{aPool: "pool", aLoop: "loop", aSupervisor: "supervisor"}[s.kind] +
		"/" + s.id + "/"
}

func (s *source) named() string {
	switch s.kind {
	case aLoop:
		return s.loop.Stats().Name
	case aSupervisor:
		return s.supervisor.Stats().Name
	}
	return s.pool.Stats().Name
}

// health returns how the source is.
func (s *source) health() insight.Health {
	switch s.kind {
	case aLoop:
		return s.loop.Insight().Health()
	case aSupervisor:
		return s.supervisor.Insight().Health()
	}
	return s.pool.Insight().Health()
}

func (s *source) running() []executor.Running {
	switch s.kind {
	case aLoop:
		return s.loop.Running()
	case aSupervisor:
		return nil
	}
	return s.pool.Running()
}

func (s *source) history() (h insight.History) {
	switch s.kind {
	case aLoop:
		return s.loop.Insight().History()
	case aPool:
		return s.pool.Insight().History()
	}
	return h
}

func (s *source) measurements() (m insight.Measurements) {
	switch s.kind {
	case aLoop:
		return s.loop.Insight().Measurements()
	case aPool:
		return s.pool.Insight().Measurements()
	}
	return m
}
