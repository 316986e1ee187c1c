package probe

import (
	"bytes"
	"runtime"
	"strings"
	"testing/synctest"
	"time"
)

// IsClosed reports whether c, on which nothing is ever sent, is closed.
func IsClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Elapse lets d pass in a bubble, and waits until everything due by then has happened.
func Elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// HeapInUse returns how many bytes of the heap are reachable.
func HeapInUse() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // frees what the first has only made ready to go
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Goroutine returns a name of the calling goroutine that no other has.
func Goroutine() string {
	stack := make([]byte, 64)
	name, _, _ := bytes.Cut(stack[:runtime.Stack(stack, false)], []byte(" ["))
	return string(name)
}

// Stacks returns the stacks of all goroutines, the caller's first.
func Stacks() []string {
	for stacks := make([]byte, 1<<16); ; stacks = make([]byte, 2*len(stacks)) {
		if n := runtime.Stack(stacks, true); n < len(stacks) {
			return strings.Split(string(stacks[:n]), "\n\n")
		}
	}
}

// Goroutines returns how many goroutines have text in their stack. Unlike runtime.NumGoroutine it
// does not count what the runtime or another test has left running.
func Goroutines(text string) (count int) {
	for _, stack := range Stacks() {
		if strings.Contains(stack, text) {
			count++
		}
	}
	return count
}
