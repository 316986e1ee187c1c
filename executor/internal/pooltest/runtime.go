package pooltest

import (
	"bytes"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// IsClosed tells whether a channel is closed that nothing is sent on.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Elapse lets time pass, and what is due at the end of it happen.
func Elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// Raise makes most at least n.
func Raise(most *atomic.Int32, n int32) {
	for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
	}
}

// HeapInUse returns how many bytes are reachable, and used.
func HeapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what the first has only made ready to go
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Goroutine tells the calling goroutine from others.
func Goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := bytes.Cut(stack[:runtime.Stack(stack, false)], []byte(" ["))
	return string(name)
}

// Goroutines returns how many goroutines pools have started that have not ended. Unlike
// runtime.NumGoroutine it does not see what the runtime or another test has left running.
func Goroutines() int {
	return strings.Count(stacks(), "created by github.com/punctual-go/punctual/executor.")
}

// Workers returns the numbers of the goroutines that are workers in the bubble of the caller, as the
// runtime tells them.
func Workers(t *testing.T) []string {
	t.Helper()
	stacks := strings.Split(stacks(), "\n\n")
	_, bubble, found := strings.Cut(strings.SplitN(stacks[0], "]", 2)[0], "synctest bubble ")
	require.True(t, found, "not in a bubble: %s", stacks[0])
	var workers []string
	for _, s := range stacks {
		head, _, _ := strings.Cut(s, "\n")
		if strings.Contains(s, "executor.(*worker)") && strings.Contains(head, "synctest bubble "+bubble+"]") {
			workers = append(workers, strings.Fields(head)[1])
		}
	}
	return workers
}

// stacks returns those of all goroutines, that of the caller first.
func stacks() string {
	for stacks := make([]byte, 1<<16); ; stacks = make([]byte, 2*len(stacks)) {
		if n := runtime.Stack(stacks, true); n < len(stacks) {
			return string(stacks[:n])
		}
	}
}

// CountTo returns the first n numbers.
func CountTo(n int) (numbers []int) {
	for i := range n {
		numbers = append(numbers, i)
	}
	return numbers
}
