package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/internal/cell"
)

// A task of a serial executor that is scheduled for later is expected there: it waits in the queue
// by its time, and takes its place in the order when a worker takes it.
//
//	expected -> head     joinLocked: the strand is idle, and the task starts
//	expected -> waiting  joinLocked: it is held back behind the others
//	expected -> gone     unexpectLocked: it was cancelled or dropped
//
// Until then it keeps the strand from being forgotten, as a second one of the same key would not
// know of the first.

// scheduleIn schedules a task for a lane.
func (p *Pool) scheduleIn(
	l *lane, delay time.Duration, task Task, opts []TaskOption,
) (*ScheduledFuture[struct{}], error) {
	if p.plain {
		return nil, invalid("tasks for later need a scheduled pool")
	}
	f, c := newScheduled[struct{}](p.submitted)
	pl, err := p.prepare(context.Background(), c, task, opts)
	if err != nil {
		return nil, err
	}
	pl = p.ownPlan(pl)
	c.Plan = pl.Cells()
	pl.expectedBy, pl.expected = &l.strand, true
	p.mu.Lock()
	l.users++
	p.mu.Unlock()
	if err := p.acceptWithin(c, delay, func() error { return p.acceptAfter(c, delay) }); err != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.unexpectLocked(c)
		return nil, err
	}
	return f, nil
}

// joinLocked gives c, which is due and has left the queue, its place in the strand that expects it,
// if one does. It reports whether c may start.
func (p *Pool) joinLocked(c *cell.Cell) bool {
	pl := planOf(c)
	if !pl.expected || c.Phase().Settled() {
		return true // if it is settled, whoever tries to start it finds that out
	}
	s := pl.expectedBy
	pl.expected, pl.strand = false, s
	s.users--
	if s.head != nil {
		p.holdBackLocked(s, c)
		return false
	}
	s.head = c
	if now := p.clock.Now(); p.readyAt(c) > now {
		p.queueLocked(c)
		p.notifyLocked(now)
		return false
	}
	return true
}

// unexpectLocked is called when c will not come.
func (p *Pool) unexpectLocked(c *cell.Cell) {
	if pl := planOf(c); pl.expected {
		pl.expected = false
		pl.expectedBy.users--
		p.releaseLocked(pl.expectedBy)
	}
}
