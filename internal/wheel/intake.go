package wheel

import "sync/atomic"

// intake is where armed timers wait to be moved into the dial: a stack that many goroutines push
// to and one empties in one go, so neither waits for the other (Treiber, 1986; the intake of the
// delay scheduler in JDK 25 has this form). A timer is pushed once in its life.
type intake struct {
	top atomic.Pointer[Timer]
}

// push adds t and returns how many timers there are now.
func (in *intake) push(t *Timer) (depth int32) {
	for {
		below := in.top.Load()
		t.next, t.depth = below, 1
		if below != nil {
			t.depth = below.depth + 1
		}
		depth = t.depth // t is others' once it is pushed
		if in.top.CompareAndSwap(below, t) {
			return depth
		}
	}
}

func (in *intake) empty() bool { return in.top.Load() == nil }

// takeAll empties the intake and returns the timers in the order in which they came, linked by
// next.
func (in *intake) takeAll() (oldest *Timer) {
	t := in.top.Swap(nil)
	for t != nil {
		t.next, oldest, t = oldest, t, t.next
	}
	return oldest
}
