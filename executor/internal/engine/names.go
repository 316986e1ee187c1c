package engine

import (
	"github.com/punctual-go/punctual/internal/cell"
)

// free reports whether c, whose plan is pl and Unique, may have its name.
func (n *names) free(c *cell.Cell, pl *plan) bool {
	holder := n.live.entries[pl.Name]
	return holder == nil || holder == c
}

// take gives c, whose plan is pl and Unique, its name, unless that belongs to another, whose heir c
// is, or in whose presence c is dropped.
func (n *names) take(c *cell.Cell, pl *plan) {
	if n.free(c, pl) {
		n.live.put(pl.Name, c)
	}
}

// byName returns the live task of this name, or nil.
func (n *names) byName(name string) *cell.Cell {
	c := n.live.entries[name]
	if c != nil && c.Phase().Settled() {
		c = planOf(c).heir // its body still runs
	}
	if c == nil || c.Phase().Settled() {
		return nil
	}
	return c
}
