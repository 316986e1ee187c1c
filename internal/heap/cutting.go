package heap

import (
	"fmt"
	"iter"
	"slices"
)

// Cutting is what has been cut out of some heaps all at once and is being sorted, a piece at a
// time, so that a caller who holds a lock need not hold it for long.
//
//	dealing -> drawing    each node goes to one of many rows
//	drawing -> empty      row after row is sorted and leaves
//
// Until it leaves, a node keeps the index of its entry, so it can be removed at any time. It is a
// sample sort (Frazer and McKellar, 1970). The zero value is empty.
type Cutting[N Node] struct {
	parts [][]entry[N] // what came from each heap, in any order; the zero entry where a node has left
	all   int          // entries
	live  int          // those with a node

	bounds []bound   // the first place of each row but the first
	rows   [][]int32 // numbers of the entries in each row, which count through all parts
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
// through the entries of the heaps, and copies and touches nothing of a heap that is taken whole.
func Cut[N Node](by int64, step int, heaps ...*Heap[N]) (c Cutting[N]) {
	for _, h := range heaps {
		c.take(h, by)
	}
	if c.live = c.all; c.all == 0 {
		return c
	}
	c.piece = max(step, (c.all+MostPieces-1)/MostPieces)
	c.bounds = c.sample(min(c.all*2/step+1, mostRows))
	c.rows = make([][]int32, len(c.bounds)+1)
	return c
}

func (c *Cutting[N]) take(h *Heap[N], by int64) {
	all := len(h.entries)
	part := h.part(func(e entry[N]) bool { return e.when > by })
	if len(part) == 0 {
		return
	}
	if len(part) < all {
		for i, e := range part {
			e.node.SetIndex(i)
		}
	}
	c.parts = append(c.parts, part)
	c.all += len(part)
}

// at returns the entry of a number.
func (c *Cutting[N]) at(i int) *entry[N] {
	for _, part := range c.parts {
		if i < len(part) {
			return &part[i]
		}
		i -= len(part)
	}
	return nil
}

// find returns the entry of a node with an index, or nil.
func (c *Cutting[N]) find(i int, node N) *entry[N] {
	for _, part := range c.parts {
		if i >= 0 && i < len(part) && part[i].node == node {
			return &part[i]
		}
	}
	return nil
}

// sample returns the bounds of about so many rows of equal length, from a sorted sample: some nodes
// for each row, at equal distances.
func (c *Cutting[N]) sample(rows int) (bounds []bound) {
	seen := min(samples*rows, c.all)
	some := make([]entry[N], 0, seen)
	for i := range seen {
		some = append(some, *c.at(i * c.all / seen))
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
func (c *Cutting[N]) Dealing() bool { return c.dealt < c.all }

// Deal puts one piece of the nodes into their rows.
func (c *Cutting[N]) Deal() {
	var none N
	for end := min(c.dealt+c.piece, c.all); c.dealt < end; c.dealt++ {
		if e := *c.at(c.dealt); e.node != none { // else removed since the cut
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
		if e := c.at(int(i)); e.node != none {
			out = append(out, *e)
			c.forget(e)
		}
	}
	c.rest()
	return inOrder(out)
}

// Holds reports whether node is there with index i.
func (c *Cutting[N]) Holds(i int, node N) bool { return c.find(i, node) != nil }

// Remove takes out node, which is there with index i. O(1): its row finds the entry empty.
func (c *Cutting[N]) Remove(i int, node N) {
	c.forget(c.find(i, node))
	c.rest()
	node.SetIndex(-1)
}

// forget empties an entry. Its row, if it is in one, keeps the number and passes over it.
func (c *Cutting[N]) forget(e *entry[N]) {
	*e = entry[N]{}
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
		for i := range c.all {
			if e := c.at(i); e.node != none && !yield(e.when, e.node) {
				return
			}
		}
	}
}

// Filter keeps the nodes of both the heaps and the cutting that keep accepts, and returns the
// others in order. O(n + k log k) for k removed.
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
	for i := range c.all {
		if e := c.at(i); e.node != none && !keep(e.when, e.node) {
			out = append(out, *e)
			c.forget(e)
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
	for i := range c.all {
		e := c.at(i)
		if e.node == none {
			continue
		}
		live++
		if got := index(e.node); c.find(got, e.node) != e {
			return fmt.Errorf("heap: node at %d of a cutting believes it is at %d", i, got)
		}
		if i < c.dealt {
			inRows++
		}
	}
	drawn := len(c.bounds) + 1 - len(c.rows)
	for r, row := range c.rows {
		for _, i := range row {
			e := *c.at(int(i))
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
