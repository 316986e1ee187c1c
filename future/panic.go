package future

import (
	"context"
	"fmt"
	"runtime/debug"
	"unicode/utf8"
)

// PanicError is the error of a task whose body panicked.
type PanicError struct {
	Value any    // what panic was called with; a *runtime.PanicNilError for panic(nil)
	Stack []byte // of the panicking goroutine, at most 64 KiB
}

// maxText bounds how much of a panic value goes into an error text, maxStack how much of a stack
// is kept.
const (
	maxText  = 1 << 10
	maxStack = 64 << 10
)

// Error tells the panic value, without the stack.
func (e *PanicError) Error() string {
	return "future: panic: " + textOf(e.Value)
}

// textOf formats a panic value, whose own methods may panic in turn.
func textOf(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = fmt.Sprintf("value of type %T", value)
		}
	}()
	text = fmt.Sprint(value)
	if len(text) <= maxText {
		return text
	}
	cut := maxText
	for !utf8.RuneStart(text[cut]) && cut > maxText-utf8.UTFMax {
		cut--
	}
	return text[:cut] + "..."
}

// Unwrap returns the panic value if it is an error, so that errors.Is and errors.As reach it.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}

// Invoke calls body with ctx and puts the outcome into *err: what body returns, or a [PanicError],
// or [ErrGoexit], in which case Invoke does not return and the goroutine ends after its deferred
// calls. It reports whether body has returned, so that an error that tells of a panic of another
// task is not taken for a panic of body. It is how every task of this module is called, and what an
// executor of another module should use.
func Invoke(ctx context.Context, body func(context.Context) error, err *error) (returned bool) {
	*err = ErrGoexit
	defer func() {
		if *err == ErrGoexit {
			if v := recover(); v != nil {
				*err = newPanicError(v)
			}
		}
	}()
	*err = body(ctx)
	return true
}

// newPanicError returns the error of a panic. One that goes on, as the value of another, keeps its stack.
func newPanicError(value any) *PanicError {
	if p, ok := value.(*PanicError); ok && p != nil && p.Stack != nil {
		return p
	}
	stack := debug.Stack()
	return &PanicError{Value: value, Stack: stack[:min(len(stack), maxStack)]}
}
