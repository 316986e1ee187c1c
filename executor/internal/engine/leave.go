package engine

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: a task that leaves its place either waits again, for another time, its next run or its
// next attempt; or it leaves the pool, which forgets it then, and its name.

// requeueLocked moves a waiting task to another time, as if it had just been submitted for that. It
// reports false if the task has left the queue. While the pool drops what is not yet due, nothing
// may be put off.
func (p *Pool) requeueLocked(c *cell.Cell, when, now int64) (moved bool, then func()) {
	pl := planOf(c)
	if p.Life.stage == draining && !pl.Periodic() && when > now && !p.executeDelayed.Load() {
		return false, nil
	}
	if !p.waiting.takeLocked(c) {
		return false, nil
	}
	c.When = when
	p.waiting.queueLocked(c)
	if when <= now {
		p.Crew.urgent = max(p.Crew.urgent, when)
	}
	if when <= now || c.Place <= 1 {
		p.Crew.notifyLocked(now)
	}
	p.loans.helpAnewLocked(c)
	return true, nil
}

// queueAgainLocked queues c for its next run or attempt. An attempt counts for the time of its run.
func (p *Pool) queueAgainLocked(c *cell.Cell, when int64) {
	pl := planOf(c)
	if !pl.Retrying() {
		c.When = when
	}
	p.waiting.queueLocked(c)
	if !pl.Periodic() {
		p.loans.helpAnewLocked(c)
	}
}

// leaveLocked is called when c leaves the pool: it is forgotten, and so is its name, unless that is
// handed on.
func (d *Door) leaveLocked(c *cell.Cell) {
	if len(d.names.live.entries) > 0 || d.pool.runs.HasSeriesLocked() { // so much is inlined
		d.forgetLocked(c)
	}
}

func (d *Door) forgetLocked(c *cell.Cell) {
	p := d.pool
	pl := planOf(c)
	p.runs.StrikeLocked(&pl.Plan, func(c *cell.Cell) *run.Plan { return &planOf(c).Plan })
	if !pl.Unique || d.names.live.entries[pl.Name] != c {
		return
	}
	heir := pl.heir
	if heir == nil || heir.Phase().Settled() {
		d.names.live.remove(pl.Name)
		return
	}
	d.names.live.remove(pl.Name)
	d.names.take(heir, planOf(heir))
	now := p.clock.Now()
	series := &planOf(heir).Series
	series.Release(now)
	p.requeueLocked(heir, series.Due(), now)
	p.runs.LimitLocked(heir, &planOf(heir).Plan)
}

// allLeaveLocked is leaveLocked for several, which usually are neither periodic nor have a name.
func (d *Door) allLeaveLocked(cells []*cell.Cell) {
	if len(d.names.live.entries) == 0 && !d.pool.runs.HasSeriesLocked() {
		return
	}
	for _, c := range cells {
		d.leaveLocked(c)
	}
}
