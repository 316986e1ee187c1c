package heap

// When returns the time of the node at index i, which must be in the heap.
func (h *Heap[N]) When(i int) int64 { return h.entries[i].when }

// Early returns how many nodes have a time of at most by. As none precedes its parent, it looks at
// these and their children alone.
func (h *Heap[N]) Early(by int64) int { return h.earlyBelow(0, by) }

// earlyBelow counts the entry at index i and those below it. The depth is that of the heap.
func (h *Heap[N]) earlyBelow(i int, by int64) (n int) {
	if i >= len(h.entries) || h.entries[i].when > by {
		return 0
	}
	n = 1
	for child := arity*i + 1; child <= arity*(i+1); child++ {
		n += h.earlyBelow(child, by)
	}
	return n
}
