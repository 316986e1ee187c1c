package wheeltest

import (
	"bytes"
	"runtime"
)

// Goroutines returns how many goroutines of the process are, and stay, in code of a wheel, or were
// started by it. It gives those that are about to end, perhaps from the test before, the time to do
// so: by yielding, since to sleep in a bubble takes no real time.
func Goroutines() (n int) {
	for range 1000 {
		if n = goroutines(); n == 0 {
			return 0
		}
		for range 100 {
			runtime.Gosched()
		}
	}
	return n
}

func goroutines() (n int) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if bytes.Contains(stack, []byte("internal/wheel.")) {
			n++
		}
	}
	return n
}
