package engine

import (
	"github.com/punctual-go/punctual/internal/cell"
)

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
