package engine

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
func (d *Door) scheduleIn(delay time.Duration, s Submission) error {
	if d.pool.plain {
		return invalid("tasks for later need a scheduled pool")
	}
	l := s.Lane
	s.Lane = nil // it is no task of the lane yet
	pl, err := d.prepare(context.Background(), s)
	if err != nil {
		return err
	}
	pl = pl.own(d.pool, nil)
	s.Cell.Plan = pl.Cells()
	pl.expectedBy, pl.expected = &l.strand, true
	d.pool.mu.Lock()
	l.users++
	d.pool.mu.Unlock()
	if err := d.admit(s.Cell, pl, way{timed: true, delay: delay}); err != nil {
		d.pool.mu.Lock()
		defer d.pool.mu.Unlock()
		d.pool.unexpectLocked(s.Cell)
		return err
	}
	return nil
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
		p.waiting.holdBackLocked(s, c)
		return false
	}
	s.head = c
	if now := p.clock.Now(); p.waiting.readyAt(c) > now {
		p.waiting.queueLocked(c)
		p.Crew.notifyLocked(now)
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
