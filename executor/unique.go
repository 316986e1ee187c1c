package executor

import (
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Unique makes the name of a task its identity: while the task lives, its pool refuses another
// unique task of that name with [ErrDuplicate], and [Pool.Lookup] finds it. A task lives from its
// submission until it has ended and its body, even one that was cancelled, has returned; so two
// tasks of one name never run side by side. Tasks without this option are not counted. The task
// needs a [Name]. Event loops refuse the option with [ErrInvalid].
func Unique() TaskOption {
	return taskOption(func(o *series.Options) error {
		o.Unique = true
		return nil
	})
}

// names are the unique tasks of a pool by name. Its lock guards them.
//
//	free  -> taken  take: the task is accepted, or waits for room
//	taken -> free   freeNameLocked: it has left the pool
//	taken -> taken  freeNameLocked: by its heir, which has been waiting for that, see Apply
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

// take gives c, whose plan is pl, its name.
func (n *names) take(c *cell.Cell, pl *plan) {
	if pl.Unique {
		n.live.put(pl.Name, c)
	}
}

// freeNameLocked frees the name of c, or hands it on.
func (p *Pool) freeNameLocked(c *cell.Cell) {
	if len(p.names.live.entries) == 0 {
		return
	}
	pl := planOf(c)
	if !pl.Unique || p.names.live.entries[pl.Name] != c {
		return
	}
	heir := pl.heir
	if heir == nil || heir.Phase().Settled() {
		p.names.live.remove(pl.Name)
		return
	}
	p.names.take(heir, planOf(heir))
	now := p.clock.Now()
	series := &planOf(heir).Series
	series.Release(now)
	p.requeueLocked(heir, series.Due(), now)
}

// freeNamesLocked is freeNameLocked for several, of which usually none has a name.
func (p *Pool) freeNamesLocked(cells []*cell.Cell) {
	if len(p.names.live.entries) == 0 {
		return
	}
	for _, c := range cells {
		p.freeNameLocked(c)
	}
}

// byNameLocked returns the live task of this name, or nil.
func (p *Pool) byNameLocked(name string) *cell.Cell {
	c := p.names.live.entries[name]
	if c != nil && c.Phase().Settled() {
		c = planOf(c).heir // its body still runs
	}
	if c == nil || c.Phase().Settled() {
		return nil
	}
	return c
}
