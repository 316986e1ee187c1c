package floor

import (
	"slices"
	"time"
)

// batch is what has been taken at one moment, in its order.
type batch struct {
	entries []entry
	spare   []entry // to merge into
	ends    []int   // of the parts that are in order by themselves
}

// take replaces the batch by what is due in all shards.
func (b *batch) take(shards []shard, now time.Duration) {
	clear(b.entries)
	b.entries, b.ends = b.entries[:0], b.ends[:0]
	for i := range shards {
		before := len(b.entries)
		b.entries = shards[i].take(now, b.entries)
		if len(b.entries) > before {
			b.ends = append(b.ends, len(b.entries))
		}
	}
	for len(b.ends) > 1 {
		b.merge()
	}
}

// merge puts the parts together two by two.
func (b *batch) merge() {
	merged, ends, begin := slices.Grow(b.spare[:0], len(b.entries)), b.ends[:0], 0
	for i := 0; i < len(b.ends); i += 2 {
		middle, end := b.ends[i], b.ends[min(i+1, len(b.ends)-1)]
		merged = appendMerged(merged, b.entries[begin:middle], b.entries[middle:end])
		ends = append(ends, end) // behind what is still to be read
		begin = end
	}
	clear(b.entries)
	b.spare, b.entries, b.ends = b.entries, merged, ends
}

func appendMerged(merged, x, y []entry) []entry {
	for len(x) > 0 && len(y) > 0 {
		if y[0].before(&x[0]) {
			merged, y = append(merged, y[0]), y[1:]
		} else {
			merged, x = append(merged, x[0]), x[1:]
		}
	}
	return append(append(merged, x...), y...)
}
