package probe

import (
	"context"
	"runtime"
)

// Ended returns a context that is cancelled already.
func Ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// BrokenContext is a context whose Value panics. Package context calls Value to recognize contexts
// of its own.
type BrokenContext struct{ context.Context }

// Value implements [context.Context].
func (BrokenContext) Value(any) any { panic("broken context") }

// ExitError ends the goroutine of whoever asks for its text, as t.FailNow does.
type ExitError struct{}

// Error implements error, and does not return.
func (ExitError) Error() string { runtime.Goexit(); return "" }
