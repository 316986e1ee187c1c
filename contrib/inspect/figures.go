package inspect

import (
	"math"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// figures are what an overview tells of a source, whatever its kind.
type figures struct {
	State    string `json:"state"`
	Paused   bool   `json:"paused"`
	Workers  int    `json:"workers"`
	Core     int    `json:"core,omitzero"`
	Maximum  int    `json:"maximum,omitzero"`
	Busy     int    `json:"busy"`
	Queued   int    `json:"queued"`
	Blocked  int    `json:"blocked"`
	Overdue  span   `json:"overdue"`
	Overruns int    `json:"overrunning"`
	Slack    span   `json:"slack"`

	Accepted  uint64 `json:"accepted"`
	Rejected  uint64 `json:"rejected"`
	Completed uint64 `json:"completed"`
	Cancelled uint64 `json:"cancelled"`
	Returned  uint64 `json:"returned"`
	Runs      uint64 `json:"runs"`
	Failures  uint64 `json:"failures"`
	Skipped   uint64 `json:"skipped"`
	Retries   uint64 `json:"retries"`
	Expired   uint64 `json:"expired"`
	TimedOut  uint64 `json:"timed_out"`
	Wakeups   uint64 `json:"wakeups"`

	Late *distribution `json:"late,omitempty"`
	Took *distribution `json:"took,omitempty"`
}

// distribution sums up a histogram.
type distribution struct {
	Count uint64 `json:"count"`
	P50   span   `json:"p50"`
	P90   span   `json:"p90"`
	P99   span   `json:"p99"`
	Max   span   `json:"max"`
}

func newDistribution(d *insight.Distribution) *distribution {
	if d == nil {
		return nil
	}
	return &distribution{d.Count, span(d.P50), span(d.P90), span(d.P99), span(d.Max)}
}

// rates are per second, lately.
type rates struct {
	Runs     float64 `json:"runs"`
	Failures float64 `json:"failures"`
	Wakeups  float64 `json:"wakeups"`
	Rejected float64 `json:"rejected"`
}

const (
	// lately is the time after which what was before counts for a third.
	lately = 3 * time.Second
	// longAgo is from when on a snapshot says nothing of the present. Whoever has no script comes
	// every ten seconds.
	longAgo = 15 * time.Second
)

// since returns the rates, given the snapshot before.
func (s *seen) since(old *seen) *rates {
	passed := s.at.Sub(old.at)
	switch {
	case passed <= 0:
		return old.rates
	case passed > longAgo: // nobody has looked meanwhile
		return nil
	}
	share, before := 1.0, rates{}
	if old.rates != nil {
		share, before = 1-math.Exp(-float64(passed)/float64(lately)), *old.rates
	}
	mix := func(now, then uint64, was float64) float64 {
		return share*float64(now-then)/passed.Seconds() + (1-share)*was
	}
	return &rates{Runs: mix(s.figures.Runs, old.figures.Runs, before.Runs),
		Failures: mix(s.figures.Failures, old.figures.Failures, before.Failures),
		Wakeups:  mix(s.figures.Wakeups, old.figures.Wakeups, before.Wakeups),
		Rejected: mix(s.figures.Rejected, old.figures.Rejected, before.Rejected)}
}

// figures returns those of a pool or loop; nil for a supervisor.
func (s *source) figures() *figures {
	switch s.kind {
	case aPool:
		return poolFigures(s.pool.Stats())
	case aLoop:
		l := s.loop.Stats()
		return &figures{State: l.State, Workers: 1, Busy: l.Busy, Queued: l.Queued,
			Slack: span(l.Slack), Accepted: l.Accepted, Rejected: l.Rejected, Runs: l.Runs,
			Completed: l.Completed, Cancelled: l.Cancelled, Returned: l.Returned,
			Failures: l.Failures, Skipped: l.Skipped, Retries: l.Retries, Expired: l.Expired,
			TimedOut: l.TimedOut, Wakeups: l.Wakeups, Late: newDistribution(l.Late),
			Took: newDistribution(l.Took)}
	}
	return nil
}

func poolFigures(p executor.Stats) *figures {
	return &figures{State: p.State, Paused: p.Paused, Workers: p.Workers, Core: p.Core,
		Maximum: p.Maximum, Busy: p.Busy, Queued: p.Queued, Blocked: p.Blocked,
		Overdue: span(p.Overdue), Overruns: p.Overrunning, Slack: span(p.Slack),
		Accepted: p.Accepted, Rejected: p.Rejected, Completed: p.Completed,
		Cancelled: p.Cancelled, Returned: p.Returned, Runs: p.Runs, Failures: p.Failures,
		Skipped: p.Skipped, Retries: p.Retries, Expired: p.Expired, TimedOut: p.TimedOut,
		Wakeups: p.Wakeups,
		Late:    newDistribution(p.Late), Took: newDistribution(p.Took)}
}
