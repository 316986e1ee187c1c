package future

import (
	"context"
	"log/slog"

	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/gate"
)

// AfterSettled calls fn with the outcome of f once f is settled. If f is settled already, fn runs
// before AfterSettled returns. Otherwise it runs on the goroutine that settles f: the one that runs
// the task, cancels it, completes the promise, or shuts the executor down. That goroutine holds no
// lock, but it cannot go on until fn returns, so fn should return soon and wait for nothing.
// Several functions of one future are called in the order in which they were registered. A Get may
// return, and Done may be closed, before fn is called.
//
// A panic or runtime.Goexit in fn is logged with its stack through slog's default logger, and the
// other functions are still called. After Goexit the goroutine that settled f ends: once all that
// belongs to settling is done, and, if it is a worker, to be replaced by another.
//
// Stop unregisters fn and reports whether it did; false means that fn has been called or is about
// to be. It does not wait for fn. Until f is settled or stop is called, f keeps fn in memory; no
// goroutine waits. AfterSettled panics if f or fn is nil.
func AfterSettled[V any](f *Future[V], fn func(Result[V])) (stop func() bool) {
	if f == nil || fn == nil {
		panic("future: AfterSettled of a nil future or function")
	}
	w := f.cell().Watch(func() {
		r, _ := f.Poll()
		gate.Call(func() { fn(r) }, func(end *gate.End) { logFailure(f.cell(), errorOf(end)) })
	})
	return func() bool { return f.cell().Unwatch(w) }
}

// logFailure logs that a user's function has failed. A panic in the log handler, which is user code
// too, is dropped: there is nothing left to tell it to.
func logFailure(c *cell.Cell, err error) {
	gate.Call(func() { writeFailure(c.Subject(), err) }, func(*gate.End) {})
}

func writeFailure(subject string, err error) {
	attrs := []slog.Attr{slog.Any("error", err)}
	if subject != "" {
		attrs = append(attrs, slog.String("of", subject))
	}
	if p, ok := err.(*PanicError); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	const text = "future: AfterSettled function failed"
	slog.LogAttrs(context.Background(), slog.LevelError, text, attrs...)
}
