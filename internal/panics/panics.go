// Package panics calls functions of the user's and tells how they have ended, also under
// GODEBUG=panicnil=1, where recover returns nil for a panic(nil), as it does when there is none.
package panics

import (
	"runtime"
	"runtime/debug"
)

// Panic is what a function has ended with.
type Panic struct {
	Value any    // a *runtime.PanicNilError for panic(nil)
	Stack []byte // of the goroutine that panicked
}

// Call calls f, and returns its panic, or nil if it has returned. If f ends the goroutine by
// runtime.Goexit, Call does not return.
func Call(f func()) (p *Panic) {
	returned := false
	defer func() {
		if returned {
			return
		}
		p = &Panic{Value: recover()} // which nobody will see if this is Goexit
		if p.Value == nil {
			p.Value = new(runtime.PanicNilError)
		}
		p.Stack = debug.Stack()
	}()
	f()
	returned = true
	return nil
}
