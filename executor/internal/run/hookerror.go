package run

import (
	"context"
	"fmt"

	"github.com/punctual-go/punctual/future"
)

// Callback calls user code that is no body. It calls failed once, with the error, if f panics or
// calls Goexit. After Goexit that is in a deferred call, and Callback does not return: what must
// follow is deferred by the caller.
func Callback(f func(), failed func(error)) {
	var err error
	over := false
	defer func() {
		if !over {
			failed(err)
		}
	}()
	future.Invoke(context.Background(), func(context.Context) error { f(); return nil }, &err)
	if over = true; err != nil {
		failed(err)
	}
}

// hookError is the failure of a hook. It asks the value of a panic for its text only on demand,
// because that may be a method of user code.
type hookError struct {
	pkg, hook string
	err       error
}

func (e *hookError) Error() string { return fmt.Sprintf("%s: %s hook: %v", e.pkg, e.hook, e.err) }
func (e *hookError) Unwrap() error { return e.err }
