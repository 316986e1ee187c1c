package probe

import (
	"bytes"
	"runtime"
	"strings"
	"testing/synctest"
	"time"
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

// Elapse lets the time of a bubble pass, and what is due at the end of it happen.
func Elapse(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
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

// Stacks returns those of all goroutines, that of the caller first.
func Stacks() []string {
	for stacks := make([]byte, 1<<16); ; stacks = make([]byte, 2*len(stacks)) {
		if n := runtime.Stack(stacks, true); n < len(stacks) {
			return strings.Split(string(stacks[:n]), "\n\n")
		}
	}
}

// Goroutines returns in how many stacks there is a text. Unlike runtime.NumGoroutine it does not
// see what the runtime or another test has left running.
func Goroutines(text string) (count int) {
	for _, stack := range Stacks() {
		if strings.Contains(stack, text) {
			count++
		}
	}
	return count
}
