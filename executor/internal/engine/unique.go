package engine

import (
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// names are the unique tasks of a pool by name. Its lock guards them.
//
//	free  -> taken  take: the task is accepted, or waits for room
//	taken -> free   leaveLocked: it has left the pool
//	taken -> taken  leaveLocked: by its heir, which has been waiting for that, see Apply
//
// A task that was cancelled during a run keeps its name until the body has returned.
type names struct {
	live shrinkingMap[string, *cell.Cell]
}

// free reports whether c may have its name.
func (n *names) free(c *cell.Cell) bool {
	if len(n.live.entries) == 0 {
		return true
	}
	pl := planOf(c)
	if !pl.Unique {
		return true
	}
	holder := n.live.entries[pl.Name]
	return holder == nil || holder == c
}

// take gives c, whose plan is pl, its name, unless that belongs to another, whose heir c is, or in
// whose presence c is dropped.
func (n *names) take(c *cell.Cell, pl *plan) {
	if pl.Unique && n.free(c) {
		n.live.put(pl.Name, c)
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
	pl := planOf(c)
	d.pool.runs.StrikeLocked(&pl.Plan, func(c *cell.Cell) *run.Plan { return &planOf(c).Plan })
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
	now := d.pool.clock.Now()
	series := &planOf(heir).Series
	series.Release(now)
	d.pool.requeueLocked(heir, series.Due(), now)
	d.pool.runs.LimitLocked(heir, &planOf(heir).Plan)
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

// byNameLocked returns the live task of this name, or nil.
func (d *Door) byNameLocked(name string) *cell.Cell {
	c := d.names.live.entries[name]
	if c != nil && c.Phase().Settled() {
		c = planOf(c).heir // its body still runs
	}
	if c == nil || c.Phase().Settled() {
		return nil
	}
	return c
}
