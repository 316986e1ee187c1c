package heap

import (
	"iter"
	"math/bits"
	"slices"
)

// inOrder tells the nodes of entries that have left the heap so, and yields them in order.
func inOrder[N Node](entries []entry[N]) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, e := range sorted(entries) {
			if !yield(e.node) {
				return
			}
		}
	}
}

// nodesOf returns the nodes of entries that have left the heap, in order.
func nodesOf[N Node](entries []entry[N]) []N {
	nodes := make([]N, 0, len(entries))
	for node := range inOrder(entries) {
		nodes = append(nodes, node)
	}
	return nodes
}

// sorted takes the indices of the nodes, and returns the entries in order; only their nodes are of
// use afterwards.
//
// A few entries are left to the standard library. If there are many, each gets a key made of its
// time and number, so that no node is touched again: that would be a cache miss for each
// comparison. If the keys do not differ in too many digits, which is so for tasks of one moment,
// they are sorted digit by digit, the last digit first. Otherwise they are sorted so by their first
// two digits only, which leaves a few next to each other that agree in both, and those are sorted
// by comparison. All of it goes through memory in sequence. O(n log n), and nearly O(n) in
// practice.
func sorted[N Node](entries []entry[N]) []entry[N] {
	if len(entries) < few {
		for _, e := range entries {
			e.node.SetIndex(-1)
		}
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
		deal(spare, entries, width-2*digit)
		deal(entries, spare, width-digit)
		sortRows(entries, width-2*digit)
		return entries
	}
	for shift := 0; shift < width; shift += digit {
		deal(spare, entries, shift)
		entries, spare = spare, entries
	}
	return entries
}

// sortRows sorts each row of entries whose keys agree above shift.
func sortRows[N Node](entries []entry[N], shift int) {
	begin := 0
	for i := range entries {
		if entries[i].when>>shift == entries[begin].when>>shift {
			continue
		}
		if i-begin > 1 {
			slices.SortFunc(entries[begin:i], compareKeys)
		}
		begin = i
	}
	slices.SortFunc(entries[begin:], compareKeys)
}

const (
	few     = 1 << 8 // entries; with far fewer of them than rows, dealing does not pay
	keyBits = 63     // as many as a time has
	digit   = 11     // bits: as many rows as can grow side by side in a cache
	digits  = 4      // the most for which sorting by every digit pays
)

// key replaces the times by keys that compare as times and numbers do, and returns how many bits
// they have. If that were more than a time has, keys lack the low bits of the numbers, and those of
// different nodes may be equal; if the times alone have more, it leaves them as they are. It takes
// the indices of the nodes as it comes by, and overwrites the spare entries.
func key[N Node](entries, spare []entry[N]) (width int) {
	least, most := entries[0].when, entries[0].when
	first, last := entries[0].node.Seq(), entries[0].node.Seq()
	// One pass over the nodes. The second, over the slices only, finds the numbers in spare.
	for i, e := range entries {
		seq := e.node.Seq()
		e.node.SetIndex(-1)
		spare[i].when = int64(seq)
		least, most = min(least, e.when), max(most, e.when)
		first, last = min(first, seq), max(last, seq)
	}
	low := bits.Len64(last - first)
	// As an unsigned number the difference is right even if it overflows a time.
	high := bits.Len64(uint64(most - least))
	if high > keyBits {
		return high
	}
	lost := max(high+low-keyBits, 0)
	low -= lost
	for i := range entries {
		e := &entries[i]
		e.when = (e.when-least)<<low | int64((uint64(spare[i].when)-first)>>lost)
	}
	return high + low
}

func compareKeys[N Node](a, b entry[N]) int {
	return compare(a, b) // of equal keys the numbers, as far as they are not in them
}

// deal copies the entries from one slice to the other, ordered by the digit above shift, and among
// equal digits as they were. It returns where the rows of equal digits end.
func deal[N Node](to, from []entry[N], shift int) (ends [1 << digit]int) {
	for _, e := range from {
		ends[e.when>>shift%(1<<digit)]++
	}
	begin := 0
	// Until all are dealt, the end of a row is where its next entry goes.
	for d, n := range ends {
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
