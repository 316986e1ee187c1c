package wheeltest

import (
	"bytes"
	"runtime"
)

// Goroutines returns how many goroutines of the process are in a wheel, or were started by one.
func Goroutines() (n int) {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	for stack := range bytes.SplitSeq(stacks, []byte("\n\n")) {
		if bytes.Contains(stack, []byte("internal/wheel.")) {
			n++
		}
	}
	return n
}
