package wheeltest

import (
	"bytes"
	"runtime"
)

// Goroutines returns how many goroutines of the process stay in a wheel, or were started by one and
// stay. One that is about to end, perhaps of the test before, is given the time to: by yielding, as a
// bubble has no other.
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
