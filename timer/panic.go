package timer

import (
	"fmt"
	"runtime/debug"
)

// PanicError is the cause when a function has panicked.
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

// newPanicError is called by a deferred function while the panic is on the stack.
func newPanicError(value any) *PanicError {
	stack := debug.Stack()
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

// causeOf returns why a function has not returned: a panic with that value, or, if the deferred
// function that asks has recovered nothing, Goexit.
func causeOf(recovered any) error {
	if recovered == nil {
		return ErrGoexit
	}
	return newPanicError(recovered)
}
