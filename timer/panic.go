package timer

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the cause when a function has panicked. It is a type of its own, not
// future.PanicError, because package timer does not depend on package future: what a timer calls
// has no future.
type PanicError struct {
	Value any    // what panic was called with; a *runtime.PanicNilError for panic(nil)
	Stack []byte // of the panicking goroutine, at most 64 KiB
}

// A panic value or a stack can be huge, and may be kept for as long as somebody holds the error.
const (
	maxText  = 1 << 10  // characters of the panic value in an error text
	maxStack = 64 << 10 // bytes of the stack
)

func newPanicError(value any, stack []byte) *PanicError {
	return &PanicError{Value: value, Stack: stack[:min(len(stack), maxStack)]}
}

// Error returns the panic value as text, cut after 1,024 characters, without the stack.
func (e *PanicError) Error() (text string) {
	defer func() {
		if recover() != nil { // the value's own String or Error panicked
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

// attempt calls f and sets *cause to how it ended: nil, a [*PanicError], or [ErrGoexit]. It lets a
// panic continue, so that the facility sees it with its own stack.
//
// Under GODEBUG=panicnil=1 recover returns nil for a panic(nil), as it does for a Goexit. Then
// attempt leaves ErrGoexit as the cause, but unlike after a Goexit it returns, and the caller can
// tell.
func attempt(f func(), cause *error) {
	*cause = ErrGoexit // unless f returns or is found to panic
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
