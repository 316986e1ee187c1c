package floor

import (
	"cmp"
	"slices"
	"time"
)

// arity is how many children an entry of a heap has: with four of them a heap is half as deep as
// with two, and they lie side by side.
const arity = 4

// heap has the earliest entry first. Its tasks know their places.
type heap []entry

func (h *heap) push(e entry) {
	*h = append(*h, e)
	h.up(len(*h)-1, e)
}

// remove takes out the entry at index i.
func (h *heap) remove(i int) {
	old := *h
	old[i].place = 0
	last := len(old) - 1
	e := old[last]
	old[last] = entry{}
	*h = old[:last]
	if i < last {
		h.up(h.down(i, e), e)
	}
}

// down moves the gap at index i down to where the entry may stand, and returns where that is.
func (h *heap) down(i int, e entry) int {
	all := *h
	for {
		first := arity*i + 1
		if first >= len(all) {
			break
		}
		least := first
		for c := first + 1; c < min(first+arity, len(all)); c++ {
			if all[c].before(&all[least]) {
				least = c
			}
		}
		if !all[least].before(&e) {
			break
		}
		all.put(i, all[least])
		i = least
	}
	return i
}

// up moves the gap at index i up to where the entry belongs.
func (h *heap) up(i int, e entry) {
	all := *h
	for i > 0 {
		parent := (i - 1) / arity
		if !e.before(&all[parent]) {
			break
		}
		all.put(i, all[parent])
		i = parent
	}
	all.put(i, e)
}

func (h heap) put(i int, e entry) {
	h[i] = e
	e.place = i + 1
}

// sweep takes out what is due, and puts the others in order again: for when that is most of them.
func (h *heap) sweep(now time.Duration, taken []entry) []entry {
	all, begin := *h, len(taken)
	taken = slices.Grow(taken, len(all))
	kept := all[:0]
	for _, e := range all {
		if e.due <= now {
			e.place = 0
			taken = append(taken, e)
		} else {
			kept = append(kept, e)
			e.place = len(kept)
		}
	}
	clear(all[len(kept):])
	*h = kept
	for i := (len(kept) - 2) / arity; i >= 0 && len(kept) > 1; i-- {
		e := kept[i]
		kept.put(kept.down(i, e), e)
	}
	slices.SortFunc(taken[begin:], func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.stamp, b.stamp))
	})
	return taken
}

// mostlyDue reports whether much of the heap is due, as far as samples tell.
func (h heap) mostlyDue(now time.Duration) bool {
	const samples = 64
	due := 0
	for i := range samples {
		if h[i*len(h)/samples].due <= now {
			due++
		}
	}
	return due > samples/4
}
