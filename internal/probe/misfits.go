package probe

import (
	"context"
	"runtime"
)

// Ended returns a context that has ended.
func Ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// BrokenContext panics when it is asked for a value, as package context does to look for its kind.
type BrokenContext struct{ context.Context }

// Value implements [context.Context].
func (BrokenContext) Value(any) any { panic("broken context") }

// ExitError ends the goroutine of whoever asks for its text, as t.FailNow does.
type ExitError struct{}

func (ExitError) Error() string { runtime.Goexit(); return "" }
