package wheel

import "sync/atomic"

// intake is where armed timers wait to be moved into the dial: a stack onto which many goroutines
// push and which one empties in one step, so that neither waits for the other (Treiber, 1986; the
// delay scheduler of JDK 25 has the same). A timer is pushed once in its life, so the stack has no
// ABA problem.
type intake struct {
	top atomic.Pointer[Timer]
}

// push adds t and returns how many timers the intake now holds.
func (in *intake) push(t *Timer) (depth int32) {
	for {
		below := in.top.Load()
		t.next, t.depth = below, 1
		if below != nil {
			t.depth = below.depth + 1
		}
		depth = t.depth // not after the push, from which on t belongs to others
		if in.top.CompareAndSwap(below, t) {
			return depth
		}
	}
}

func (in *intake) empty() bool { return in.top.Load() == nil }

// takeAll empties the intake and returns its timers in the order in which they were pushed, linked
// by next.
func (in *intake) takeAll() (oldest *Timer) {
	t := in.top.Swap(nil)
	for t != nil {
		t.next, oldest, t = oldest, t, t.next
	}
	return oldest
}
