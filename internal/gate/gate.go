// Package gate is the one way in which this module calls user code: bodies, hooks, observers,
// handlers, calendars, writers. Whatever such a function does, its caller is told how it ended,
// once.
//
//	it returns                             nothing is told
//	it panics                              the panic is told; the call returns
//	it calls runtime.Goexit                that is told in a deferred call: the goroutine ends
//	it panics while Goexit runs its        the panic is told in a deferred call; recover has ended
//	deferred calls                         the panic, and the goroutine ends
//
// All of that holds under GODEBUG=panicnil=1 as well, where recover returns nil after panic(nil).
//
// After Goexit a caller gets no further than its deferred calls. What must happen after user code,
// whatever that does, is therefore deferred before it is called; a loop that must go on continues
// on another goroutine.
package gate

import (
	"context"
	"runtime"
	"runtime/debug"
)

// End is how a function has ended that did not return.
type End struct {
	// Value is the argument of panic, a *runtime.PanicNilError for panic(nil); nil after a Goexit
	// without a panic.
	Value any
	Stack []byte // of the goroutine, where it panicked or called Goexit
}

// Exited reports whether the function called runtime.Goexit, and did not panic after that.
func (e *End) Exited() bool { return e.Value == nil }

// Call calls f, and passes to failed how it ended unless it returned. Call returns unless f calls
// Goexit; then failed is called on the way out, and must not panic.
func Call(f func(), failed func(*End)) {
	var err error
	var end *End
	over := false
	defer func() {
		if !over {
			failed(end) // Goexit goes on after this
		}
	}()
	keep := func(e *End) error {
		end = e
		return nil
	}
	Invoke(nil, func(context.Context) error { f(); return nil }, &err, keep)
	if over = true; end != nil {
		failed(end)
	}
}

// Invoke calls body with ctx. It stores in *err what body returns or, if body does not return, the
// error that errorOf makes of its end, and reports whether body returned. After Goexit *err is set
// for the deferred calls of the caller, as Invoke does not return. For a panic(nil) that cannot be
// told from Goexit at first, errorOf is called a second time.
func Invoke(
	ctx context.Context, body func(context.Context) error, err *error, errorOf func(*End) error,
) (returned bool) {
	end := attempt(ctx, body, err, errorOf)
	if end == nil {
		return true
	}
	if end.Exited() { // after Goexit nobody would get here
		end.Value = new(runtime.PanicNilError)
		*err = errorOf(end)
	}
	return false
}

// attempt calls body. No other function of this module calls user code that may do what it likes.
func attempt(
	ctx context.Context, body func(context.Context) error, err *error, errorOf func(*End) error,
) (end *End) {
	returned := false
	defer func() {
		if returned {
			return
		}
		end = &End{Value: recover(), Stack: debug.Stack()}
		*err = errorOf(end)
	}()
	*err = body(ctx)
	returned = true
	return nil
}
