package heap

// When returns the time of the node at index i.
func (h *Heap[N]) When(i int) int64 { return h.entries[i].when }
