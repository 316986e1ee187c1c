package executor_test

import (
	"runtime"
	"strings"
)

// poolGoroutines returns how many goroutines pools have started that have not ended. Unlike
// runtime.NumGoroutine it does not see what the runtime or another test has left running.
func poolGoroutines() int {
	stacks := make([]byte, 1<<16)
	for {
		n := runtime.Stack(stacks, true)
		if n < len(stacks) {
			return strings.Count(string(stacks[:n]), "created by github.com/punctual-go/punctual/executor.")
		}
		stacks = make([]byte, 2*len(stacks))
	}
}
