package run

import (
	"context"
	"fmt"

	"github.com/punctual-go/punctual/future"
)

// Guard calls a hook, and reports it if it panics or calls Goexit.
func (o *Owner) Guard(ctx context.Context, name string, info Info, hook func()) {
	var err error
	future.Invoke(ctx, func(context.Context) error { hook(); return nil }, &err)
	if err != nil {
		o.HookFailed(info, name, err)
	}
}

// HookFailed reports a hook that has panicked, or called Goexit.
func (o *Owner) HookFailed(info Info, name string, err error) {
	o.Report(info, &hookError{packages[o.Kind], name, err})
}

// hookError is the failure of a hook. It asks the value of a panic for its text only on demand,
// because that may be a method of user code.
type hookError struct {
	pkg, hook string
	err       error
}

func (e *hookError) Error() string { return fmt.Sprintf("%s: %s hook: %v", e.pkg, e.hook, e.err) }
func (e *hookError) Unwrap() error { return e.err }
