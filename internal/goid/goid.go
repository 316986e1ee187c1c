// Package goid tells the calling goroutine from others.
//
// An executor needs that where a wrong guess would do harm: a task that waits for another task
// lends it its place, runs what there is no worker for, or is told that it would wait for itself. A
// context cannot say who the caller is, as contexts are passed around. The calling goroutine can.
//
// On amd64, arm64 and 386 the identity is the address of the runtime's descriptor of the goroutine,
// which Go's assembler calls g: an instruction or two, however deep the stack. Elsewhere it is the
// number at the head of the goroutine's own stack trace, which costs ten microseconds or more.
// Neither is ever looked into; identities are only compared.
package goid

// Current returns the identity of the calling goroutine. It is never 0, and no two goroutines that
// exist at the same time share it. A new goroutine may get the identity of one that has ended, so
// whoever stores an identity must forget it before that goroutine ends. The function that iter.Pull
// runs has a goroutine of its own.
func Current() uint64 { return uint64(current()) }
