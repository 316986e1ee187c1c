package heap

import (
	"iter"
	"math/bits"
	"slices"
)

// inOrder yields the nodes of the entries, which have left the heap, in order.
func inOrder[N Node](entries []entry[N]) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, e := range sorted(entries) {
			e.node.SetIndex(-1)
			if !yield(e.node) {
				return
			}
		}
	}
}

// nodesOf returns the nodes of the entries, which have left the heap, in order.
func nodesOf[N Node](entries []entry[N]) []N {
	nodes := make([]N, 0, len(entries))
	for node := range inOrder(entries) {
		nodes = append(nodes, node)
	}
	return nodes
}

// sorted returns the entries in order, of which only the nodes are of use then. A few are left
// to the standard library. Many get a key each, of time and number, so that no node has to be asked again: that
// would be a cache miss for each comparison. They are sorted digit by digit, the last first, if their keys
// do not differ in too many: those of one moment do not. Otherwise they are dealt out by the first digit to
// rows, and as these are short then, each is sorted. Both go through memory as it lies. O(n log n), nearly O(n).
func sorted[N Node](entries []entry[N]) []entry[N] {
	if len(entries) < few {
		slices.SortFunc(entries, compare)
		return entries
	}
	spare := make([]entry[N], len(entries))
	width := key(entries, spare)
	switch {
	case width > keyBits:
		slices.SortFunc(entries, compare)
		return entries
	case width > digits*digit:
		begin := 0
		for _, end := range deal(spare, entries, width-digit) {
			slices.SortFunc(spare[begin:end], compareKeys)
			begin = end
		}
		return spare
	}
	for shift := 0; shift < width; shift += digit {
		deal(spare, entries, shift)
		entries, spare = spare, entries
	}
	return entries
}

const (
	few     = 1 << 8 // nodes, fewer than rows
	keyBits = 63     // of a time
	digit   = 11     // bits: as many rows grow side by side as lie in a cache
	digits  = 4      // up to which it pays to sort by all of them
)

// key puts keys in place of the times, that compare as times and numbers do, and returns how many bits they
// have; if these are more than a time has, it leaves the times. It uses the spare entries.
func key[N Node](entries, spare []entry[N]) (width int) {
	least, most := entries[0].when, entries[0].when
	first, last := entries[0].node.Seq(), entries[0].node.Seq()
	for i, e := range entries {
		seq := e.node.Seq()
		spare[i].when = int64(seq)
		least, most = min(least, e.when), max(most, e.when)
		first, last = min(first, seq), max(last, seq)
	}
	low := bits.Len64(last - first)
	// The difference is right as an unsigned number even if it is too large for a time.
	width = low + bits.Len64(uint64(most-least))
	if width > keyBits {
		return width
	}
	for i := range entries {
		e := &entries[i]
		e.when = (e.when-least)<<low | int64(uint64(spare[i].when)-first)
	}
	return width
}

func compareKeys[N Node](a, b entry[N]) int {
	if a.when < b.when {
		return -1
	}
	return 1 // no two are equal
}

// deal copies from one slice to the other, ordered by the digit above shift, and otherwise as they were. It
// returns where the rows of equal digits end.
func deal[N Node](to, from []entry[N], shift int) (ends [1 << digit]int) {
	for _, e := range from {
		ends[e.when>>shift%(1<<digit)]++
	}
	begin := 0
	for d, n := range ends { // until all are dealt, an end is where the next of its row goes
		ends[d] = begin
		begin += n
	}
	for _, e := range from {
		next := &ends[e.when>>shift%(1<<digit)]
		to[*next] = e
		*next++
	}
	return ends
}
