package goid

import (
	"bytes"
	"runtime"
	"strconv"
)

// Number returns the number of the calling goroutine, which no other goroutine ever has. It reads
// the head of the stack trace, "goroutine 42 [running]:". The runtime writes the rest of the trace
// for nothing, which takes from some microseconds for a flat stack to a hundred for a deep one.
func Number() uint64 {
	var buf [64]byte
	head := buf[:runtime.Stack(buf[:], false)]
	digits, found := bytes.CutPrefix(head, []byte("goroutine "))
	digits, _, _ = bytes.Cut(digits, []byte(" "))
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if !found || err != nil {
		panic("goid: a stack trace begins with " + string(head))
	}
	return n
}
