package timer

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the cause when a function has panicked. It is not that of package future, on which a
// timer does not depend: what a timer calls has no future.
type PanicError struct {
	Value any    // what panic was called with; a *runtime.PanicNilError for panic(nil)
	Stack []byte // of the panicking goroutine, at most 64 KiB
}

// maxText bounds how many characters of a panic value go into an error text, maxStack how much of
// a stack is kept.
const (
	maxText  = 1 << 10
	maxStack = 64 << 10
)

func newPanicError(value any, stack []byte) *PanicError {
	return &PanicError{Value: value, Stack: stack[:min(len(stack), maxStack)]}
}

// Error tells the panic value, without the stack.
func (e *PanicError) Error() (text string) {
	defer func() {
		if recover() != nil { // a panic of the value's own methods
			text = fmt.Sprintf("timer: panic: value of type %T", e.Value)
		}
	}()
	return fmt.Sprintf("timer: panic: %.*s", maxText, fmt.Sprint(e.Value))
}

// Unwrap returns the panic value if it is an error, so that errors.Is and errors.As reach it.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// attempt calls f, and sets *cause to how that has ended: nil, a panic, or [ErrGoexit]. A panic
// goes on, so that it keeps its stack; but of a panic(nil) recover tells nothing under
// GODEBUG=panicnil=1, as if it were Goexit: but after that attempt returns.
func attempt(f func(), cause *error) {
	*cause = ErrGoexit
	defer func() {
		if *cause == nil {
			return
		}
		if v := recover(); v != nil {
			*cause = newPanicError(v, debug.Stack())
			panic(v)
		}
	}()
	f()
	*cause = nil
}
