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

// inOrder yields the nodes of the entries, which have left the heap, in order: it deals them out to as many
// buckets as a cache bears, by time, and sorts each. O(n log n), nearly O(n) as the buckets are small.
func inOrder[N Node](entries []entry[N]) iter.Seq[N] {
	return func(yield func(N) bool) {
		if len(entries) == 0 {
			return
		}
		dealt, ends := deal(entries)
		begin := 0
		for _, end := range ends {
			bucket := dealt[begin:end]
			slices.SortFunc(bucket, keyed[N].compare)
			for _, k := range bucket {
				k.node.SetIndex(-1)
				if !yield(k.node) {
					return
				}
			}
			begin = end
		}
	}
}

// deal sorts the entries by time, roughly: each bucket ends where the next begins, and has no time later
// than any in the next.
func deal[N Node](entries []entry[N]) (dealt []keyed[N], ends []int) {
	least, most := entries[0].when, entries[0].when
	for _, e := range entries {
		least, most = min(least, e.when), max(most, e.when)
	}
	span := uint64(most - least) // right even if the difference is too much for its type
	width := max(0, bits.Len64(span)-bits.Len(uint(min(len(entries), maxBuckets))))
	bucketOf := func(e entry[N]) uint64 { return uint64(e.when-least) >> width }
	ends = make([]int, span>>width+1)
	for _, e := range entries {
		ends[bucketOf(e)]++
	}
	begin := 0
	for i, n := range ends { // until all are dealt, an end is where the next of the bucket goes
		ends[i] = begin
		begin += n
	}
	dealt = make([]keyed[N], len(entries))
	for _, e := range entries {
		next := &ends[bucketOf(e)]
		dealt[*next] = keyed[N]{e.when, e.node.Seq(), e.node}
		*next++
	}
	return dealt, ends
}

// maxBuckets is how many buckets at most are filled at a time: twice as many ends lie in a cache.
const maxBuckets = 1 << 13
