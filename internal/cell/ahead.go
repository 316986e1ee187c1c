package cell

import "iter"

// Ahead iterates over cells that lie scattered in memory, and has the processor load them ahead of
// their turn. A loop that does something with each waits for the memory each time, as an atomic
// operation lets no later load begin before it; loads that depend on nothing are under way a dozen
// at a time.
func Ahead(cells []*Cell) iter.Seq2[int, *Cell] {
	return func(yield func(int, *Cell) bool) {
		for begin := 0; begin < len(cells); begin += ahead {
			end := min(begin+ahead, len(cells))
			load(cells[begin:end])
			for i := begin; i < end; i++ {
				if !yield(i, cells[i]) {
					return
				}
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
