// Package panics calls functions of the user's and tells how they have ended. It does so under
// GODEBUG=panicnil=1 as well, where recover returns nil both after panic(nil) and without any
// panic.
package panics

import (
	"runtime"
	"runtime/debug"
)

// Panic is a panic that has ended a function.
type Panic struct {
	Value any    // the argument of panic; a *runtime.PanicNilError for panic(nil)
	Stack []byte // of the goroutine that panicked
}

// Call calls f and returns its panic, or nil if it returned. If f calls runtime.Goexit, Call does
// not return.
func Call(f func()) (p *Panic) {
	returned := false
	defer func() {
		if returned {
			return
		}
		// After Goexit recover returns nil too; but then Call does not return, so nobody sees p.
		p = &Panic{Value: recover()}
		if p.Value == nil {
			p.Value = new(runtime.PanicNilError)
		}
		p.Stack = debug.Stack()
	}()
	f()
	returned = true
	return nil
}
