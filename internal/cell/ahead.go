package cell

import (
	"iter"
	"slices"
)

// Ahead iterates over cells that lie scattered in memory, a group at a time, and has the processor
// load each group before its turn. A loop that does something with each cell waits for the memory
// each time, as an atomic operation lets no later load begin before it; loads that depend on
// nothing are under way a dozen at a time.
func Ahead(cells []*Cell) iter.Seq[[]*Cell] {
	return func(yield func([]*Cell) bool) {
		for group := range slices.Chunk(cells, ahead) {
			load(group)
			if !yield(group) {
				return
			}
		}
	}
}

// ahead is few enough for the first-level cache, with all that is done to each.
const ahead = 64

// load reads from both ends of each cell, which may be in two lines of the cache.
//
//go:noinline
func load(cells []*Cell) (all uint64) {
	for _, c := range cells {
		all |= uint64(c.Place) | uint64(c.Started)
	}
	return all
}
