package future

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/punctual-go/punctual/internal/gate"
)

// PanicError is the error of a task whose body panicked.
type PanicError struct {
	Value any    // the argument of panic; a *runtime.PanicNilError for panic(nil)
	Stack []byte // stack of the panicking goroutine, at most 64 KiB of it
}

// A panic value is cut to maxText bytes in the text of the error, and a stack to maxStack bytes
// where it is kept: both may be as large as the program likes.
const (
	maxText  = 1 << 10
	maxStack = 64 << 10
)

// Error returns the panic value as text, without the stack.
func (e *PanicError) Error() string {
	return "future: panic: " + textOf(e.Value)
}

// textOf formats a panic value. The methods of the value are user code, and may panic in turn.
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
	// Do not cut a rune in two.
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

// Invoke calls body with ctx and stores the outcome in *err: the error that body returns, a
// [PanicError], or [ErrGoexit]. In the last case Invoke does not return: the goroutine ends after
// its deferred calls. Invoke reports whether body returned, so that a PanicError that body merely
// passed on from another task is not taken for a panic of its own. Every task of this module is
// called through Invoke; an executor in another module should use it too.
func Invoke(ctx context.Context, body func(context.Context) error, err *error) (returned bool) {
	return gate.Invoke(ctx, body, err, errorOf)
}

// errorOf returns the error of a function that has not returned. A PanicError that is panicked with
// again keeps the stack of the first panic.
func errorOf(end *gate.End) error {
	if end.Exited() {
		return ErrGoexit
	}
	if p, ok := end.Value.(*PanicError); ok && p != nil && p.Stack != nil {
		return p
	}
	return &PanicError{Value: end.Value, Stack: end.Stack[:min(len(end.Stack), maxStack)]}
}
