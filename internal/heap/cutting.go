package heap

import (
	"fmt"
	"iter"
	"slices"
)

// Cutting is what has been cut out of some heaps all at once and is being sorted, a piece at a time,
// so that a caller who holds a lock need not hold it for long.
//
//	dealing -> drawing    each node goes to one of many rows
//	drawing -> empty      row after row is sorted and leaves
//
// Until it leaves, a node keeps the index of its entry, so it can be removed at any time. It is a
// sample sort (Frazer and McKellar, 1970). The zero value is empty.
type Cutting[N Node] struct {
	entries []entry[N] // in any order; the zero entry where a node has left
	live    int

	bounds []bound   // the first place of each row but the first
	rows   [][]int32 // indices of the entries in each row
	piece  int       // how many entries are dealt at a time
	dealt  int       // how many have been dealt
}

// bound is a place in the order.
type bound struct {
	when int64
	seq  uint64
}

// MostPieces is how many calls of Deal a cutting takes at most.
const MostPieces = 1 << 8

const (
	mostRows = 1 << 10 // a row of a million is about a thousand long
	samples  = 4       // for each row
)

// Cut takes the nodes out of the heaps that are not later than by. Each call of Deal handles step
// nodes, or more if there are very many, and a row has about half as many. Cut itself goes once
// through the entries of the heaps. It touches the nodes only of those whose indices change: none of
// the first heap, if all of that is taken.
func Cut[N Node](by int64, step int, heaps ...*Heap[N]) (c Cutting[N]) {
	for _, h := range heaps {
		c.take(h, by)
	}
	n := len(c.entries)
	if c.live = n; n == 0 {
		return c
	}
	c.piece = max(step, (n+MostPieces-1)/MostPieces)
	c.bounds = c.sample(min(n*2/step+1, mostRows))
	c.rows = make([][]int32, len(c.bounds)+1)
	return c
}

func (c *Cutting[N]) take(h *Heap[N], by int64) {
	all := len(h.entries)
	due := h.part(func(e entry[N]) bool { return e.when > by })
	if len(c.entries) == 0 && len(due) == all {
		c.entries = due
		return
	}
	for i, e := range due {
		e.node.SetIndex(len(c.entries) + i)
	}
	c.entries = append(c.entries, due...)
}

// sample returns the bounds of about so many rows of equal length, from a sorted sample: some nodes
// for each row, at equal distances.
func (c *Cutting[N]) sample(rows int) (bounds []bound) {
	n := len(c.entries)
	seen := min(samples*rows, n)
	some := make([]entry[N], 0, seen)
	for i := range seen {
		some = append(some, c.entries[i*n/seen])
	}
	slices.SortFunc(some, compare)
	for i := samples; i < len(some); i += samples {
		bounds = append(bounds, bound{some[i].when, some[i].node.Seq()})
	}
	return bounds
}

// Len returns the number of nodes.
func (c *Cutting[N]) Len() int { return c.live }

// Dealing reports whether some nodes are in no row yet. Until then no row can be drawn.
func (c *Cutting[N]) Dealing() bool { return c.dealt < len(c.entries) }

// Deal puts one piece of the nodes into their rows.
func (c *Cutting[N]) Deal() {
	var none N
	end := min(c.dealt+c.piece, len(c.entries))
	for ; c.dealt < end; c.dealt++ {
		if e := c.entries[c.dealt]; e.node != none { // else removed since the cut
			row := &c.rows[c.row(e)]
			*row = append(*row, int32(c.dealt))
		}
	}
}

// row returns the number of the row to which e belongs, by binary search.
func (c *Cutting[N]) row(e entry[N]) int {
	low, high := 0, len(c.bounds)
	for low < high {
		mid := (low + high) / 2
		if b := &c.bounds[mid]; e.when < b.when || e.when == b.when && e.node.Seq() < b.seq {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// Draw removes the first row and returns its nodes in order; the caller must go through all of
// them. The row may be empty.
func (c *Cutting[N]) Draw() iter.Seq[N] {
	var none N
	row := c.rows[0]
	// Drawn rows are dropped one by one: the slice of rows still lies on the same array.
	c.rows[0], c.rows = nil, c.rows[1:]
	out := make([]entry[N], 0, len(row))
	for _, i := range row {
		if e := c.entries[i]; e.node != none {
			c.forget(int(i))
			out = append(out, e)
		}
	}
	c.rest()
	return inOrder(out)
}

// Holds reports whether node is at index i.
func (c *Cutting[N]) Holds(i int, node N) bool {
	return i >= 0 && i < len(c.entries) && c.entries[i].node == node
}

// Remove takes out the node at index i. O(1): its row finds the entry empty.
func (c *Cutting[N]) Remove(i int) {
	node := c.entries[i].node
	c.forget(i)
	c.rest()
	node.SetIndex(-1)
}

// forget empties the entry at i. Its row, if it is in one, keeps the index and passes over it.
func (c *Cutting[N]) forget(i int) {
	c.entries[i] = entry[N]{}
	c.live--
}

// rest gives up the memory once nothing is left.
func (c *Cutting[N]) rest() {
	if c.live == 0 {
		*c = Cutting[N]{}
	}
}

// All yields the nodes with their times, in no order.
func (c *Cutting[N]) All() iter.Seq2[int64, N] {
	var none N
	return func(yield func(int64, N) bool) {
		for _, e := range c.entries {
			if e.node != none && !yield(e.when, e.node) {
				return
			}
		}
	}
}

// Filter keeps the nodes of both the heaps and the cutting that keep accepts, and returns the others
// in order. O(n + k log k) for k removed.
func (c *Cutting[N]) Filter(keep func(when int64, node N) bool, heaps ...*Heap[N]) []N {
	var none N
	var out []entry[N]
	for _, h := range heaps {
		part := h.part(func(e entry[N]) bool { return keep(e.when, e.node) })
		if out == nil {
			out = part
		} else {
			out = append(out, part...)
		}
	}
	for i, e := range c.entries {
		if e.node != none && !keep(e.when, e.node) {
			c.forget(i)
			out = append(out, e)
		}
	}
	c.rest()
	return nodesOf(out)
}

// Validate checks that every node knows its index, as index returns it, and that each row holds
// what it should. It is for tests.
func (c *Cutting[N]) Validate(index func(N) int) error {
	var none N
	live, inRows := 0, 0
	for i, e := range c.entries {
		if e.node == none {
			continue
		}
		live++
		if got := index(e.node); got != i {
			return fmt.Errorf("heap: node at %d of a cutting believes it is at %d", i, got)
		}
		if i < c.dealt {
			inRows++
		}
	}
	drawn := len(c.bounds) + 1 - len(c.rows)
	for r, row := range c.rows {
		for _, i := range row {
			e := c.entries[i]
			if e.node == none {
				continue
			}
			if inRows--; c.row(e) != drawn+r {
				return fmt.Errorf("heap: node at %d of a cutting is in row %d", i, drawn+r)
			}
		}
	}
	if live != c.live || inRows != 0 {
		return fmt.Errorf("heap: %d nodes in a cutting, counted as %d, %d of them in no row",
			live, c.live, inRows)
	}
	return nil
}
