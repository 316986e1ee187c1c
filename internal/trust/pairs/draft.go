package pairs

import (
	"math/rand/v2"
	"slices"
	"time"
)

// draft is a program that is being drawn.
type draft struct {
	*program
	rng   *rand.Rand
	depth int // of features that include others
}

func (d *draft) between(from, to int) time.Duration {
	return ms * time.Duration(from+d.rng.IntN(to-from))
}

func (d *draft) oneOf(names ...string) string { return names[d.rng.IntN(len(names))] }

// unbounded reports whether the program has, or will have, a queue without bounds.
func (d *draft) unbounded() bool {
	for _, name := range []string{"FIFO", "PriorityFIFO", "CustomQueue"} {
		if d.about(name) || d.has(name) {
			return true
		}
	}
	return false
}

func (d *draft) without(name string) {
	if d.about(name) {
		return
	}
	d.uses = slices.DeleteFunc(d.uses, func(u *use) bool { return u.Name == name })
}
