package pooltest

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/internal/probe"
)

// Raise sets most to n if n is greater.
func Raise(most *atomic.Int32, n int32) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

// Goroutines returns how many goroutines started by pools have not ended.
func Goroutines() int {
	return probe.Goroutines("created by github.com/punctual-go/punctual/executor/internal/engine.")
}

// Workers returns the goroutine numbers of the workers in the caller's bubble.
func Workers(t *testing.T) []string {
	t.Helper()
	stacks := probe.Stacks()
	_, bubble, found := strings.Cut(strings.SplitN(stacks[0], "]", 2)[0], "synctest bubble ")
	require.True(t, found, "not in a bubble: %s", stacks[0])
	var workers []string
	for _, s := range stacks {
		head, _, _ := strings.Cut(s, "\n")
		if strings.Contains(s, "engine.(*worker)") &&
			strings.Contains(head, "synctest bubble "+bubble+"]") {
			workers = append(workers, strings.Fields(head)[1])
		}
	}
	return workers
}

// CountTo returns the numbers from 0 to n-1.
func CountTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}
