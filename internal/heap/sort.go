package heap

import (
	"cmp"
	"iter"
	"math/bits"
	"slices"
)

// keyed is an entry with its sequence number at hand: to sort by asking the nodes would be a cache miss
// for each comparison.
type keyed[N Node] struct {
	when int64
	seq  uint64
	node N
}

func (a keyed[N]) compare(b keyed[N]) int {
	if a.when != b.when {
		return cmp.Compare(a.when, b.when)
	}
	return cmp.Compare(a.seq, b.seq)
}

// inOrder yields the nodes of the entries, which have left the heap, in order.
func inOrder[N Node](entries []entry[N]) iter.Seq[N] {
	return func(yield func(N) bool) {
		for _, k := range sorted(entries) {
			k.node.SetIndex(-1)
			if !yield(k.node) {
				return
			}
		}
	}
}

// sorted returns the entries in order. What lies in a cache is left to the standard library. Many are sorted
// digit by digit, the last first, if their times and numbers do not differ in too many: those of one moment
// do not. Otherwise they are dealt out by time to rows, and as these are short then, each is sorted. Both go
// through memory as it lies. O(n log n), nearly O(n).
func sorted[N Node](entries []entry[N]) []keyed[N] {
	ks := make([]keyed[N], len(entries))
	for i, e := range entries {
		ks[i] = keyed[N]{e.when, e.node.Seq(), e.node}
	}
	if len(ks) < few {
		slices.SortFunc(ks, keyed[N].compare)
		return ks
	}
	least, most := bounds(ks)
	// Unsigned differences are right even where they are too large for the times' own type.
	times, numbers := bits.Len64(uint64(most.when-least.when)), bits.Len64(most.seq-least.seq)
	spare := make([]keyed[N], len(ks))
	if (times+digit-1)/digit+(numbers+digit-1)/digit > digits {
		width := max(0, times-digit)
		begin := 0
		for _, end := range deal(spare, ks, func(k keyed[N]) uint64 { return uint64(k.when-least.when) >> width }) {
			slices.SortFunc(spare[begin:end], keyed[N].compare)
			begin = end
		}
		return spare
	}
	for shift := 0; shift < numbers; shift += digit {
		deal(spare, ks, func(k keyed[N]) uint64 { return (k.seq - least.seq) >> shift })
		ks, spare = spare, ks
	}
	for shift := 0; shift < times; shift += digit {
		deal(spare, ks, func(k keyed[N]) uint64 { return uint64(k.when-least.when) >> shift })
		ks, spare = spare, ks
	}
	return ks
}

const (
	few    = 1 << 10 // nodes
	digit  = 11      // bits: as many rows grow side by side as lie in a cache
	digits = 4       // from which on sorting by all of them does not pay any more
)

// bounds returns the least and the greatest of the times and of the numbers.
func bounds[N Node](ks []keyed[N]) (least, most keyed[N]) {
	least, most = ks[0], ks[0]
	for _, k := range ks {
		least.when, most.when = min(least.when, k.when), max(most.when, k.when)
		least.seq, most.seq = min(least.seq, k.seq), max(most.seq, k.seq)
	}
	return least, most
}

// deal copies from one slice to the other, ordered by the last digit of a number, and otherwise as they
// were. It returns where the rows of equal digits end.
func deal[N Node](to, from []keyed[N], number func(keyed[N]) uint64) (ends [1 << digit]int) {
	for _, k := range from {
		ends[number(k)%(1<<digit)]++
	}
	begin := 0
	for d, n := range ends { // until all are dealt, an end is where the next of its row goes
		ends[d] = begin
		begin += n
	}
	for _, k := range from {
		next := &ends[number(k)%(1<<digit)]
		to[*next] = k
		*next++
	}
	return ends
}
