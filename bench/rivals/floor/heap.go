package floor

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
		h.settle(i, e)
	}
}

// settle finds the place for an entry when there is a gap at index i.
func (h *heap) settle(i int, e entry) {
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
	h.up(i, e)
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
