package engine

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Init makes p ready for its first task. A plain pool knows no times. The settings go together:
// that has been checked. Init starts no goroutine.
func (p *Pool) Init(core int, plain bool, s Settings) {
	p.plain = plain
	p.settings.init(s)
	// Above 0: in Started that stands for a start which nobody has timed, see unread.
	p.clock = clock.New(1)
	p.runs.Make(run.Env{
		Reporter: run.Reporter{Settings: p.Shared, Kind: "pool", ErrShutdown: ErrShutdown},
		Clocks:   run.Clocks{Clock: p.clock, Wall: wall.New()},
		Host:     (*Host)(p),
		Lock:     &p.mu,
		Counts:   &p.counts.Counts,
	})
	p.Crew.core, p.Crew.maximum = core, s.Maximum
	p.loans.pool, p.waiting.pool, p.Crew.pool = p, p, p
	p.Life.pool, p.Views.pool, p.Door.pool = p, p, p
	p.waiting.wake = func() { p.Crew.notifyLocked(unread) }
	p.runs.Size = p.Crew.sizeAsMade()
	sight.Open(&p.runs, (*crewView)(p), p.Before != nil || p.After != nil)
	p.Door.bounded = s.PendingLimit > 0 || plain && s.Capacity != Unbounded
	p.Door.special = len(p.Decorate) > 0 || p.Shared.Defaults != nil
	p.Door.submitted, p.Door.executed = p.newPlan(series.Options{}), p.newPlan(series.Options{})
	p.Door.submitted.shared, p.Door.executed.shared = true, true
	p.Door.executed.Reports = true
	p.watched.Store(p.runs.OnError != nil || p.runs.Watched)
	p.waiting.queue = p.waiting.newQueue()
	p.Crew.lot = parking.New(&p.mu, p.clock)
	p.Crew.lot.OnGuard(func() { p.Crew.notifyLocked(unread) })
	if !p.plain {
		p.Crew.slack = int64(p.Shared.SlackOr(p.Crew.lot.Virtual()))
	}
	p.Life.closing, p.Life.announce = context.WithCancel(context.Background())
	p.Life.done = make(chan struct{})
	p.Crew.workers = make(map[*worker]struct{})
}
