// Package goid tells the calling goroutine from others.
//
// An executor needs that where a wrong guess would do harm: whoever waits for a task inside of a
// task lends its place, runs what there is no room for, or is told that it would wait for itself.
// A context cannot say who the caller is, as contexts are passed on. The calling goroutine can.
//
// On amd64, arm64 and 386 the identity is the address of the runtime's descriptor of the goroutine,
// which Go's assembler names g: an instruction or two, whatever the stack. Elsewhere it is the
// number that heads the goroutine's own stack trace, which costs from ten microseconds up. Neither
// is ever looked into. It is only compared.
package goid

// Current returns the identity of the calling goroutine. It is never 0, and no two goroutines that
// exist at the same time share it. A new goroutine may have that of one which has ended: whoever
// keeps an identity must forget it before its goroutine ends. The function that iter.Pull runs has
// a goroutine of its own.
func Current() uint64 { return uint64(current()) }
