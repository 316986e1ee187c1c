package future

import (
	"context"
	"log/slog"
)

// AfterSettled has fn called once f is settled, with its outcome; or here and now, before
// AfterSettled returns, if that is so already. Otherwise fn runs on the goroutine that settles f:
// the one that runs its task, cancels it, completes its promise, or shuts its executor down. No
// lock is held, but what that goroutine does next waits for fn: it should return soon, and wait
// for nothing. Functions of one future are called in the order in which they were given. When f
// wakes those who wait in Get, or tells by Done, fn may not have been called yet.
//
// A panic in fn harms nobody: it is logged by log/slog, with its stack, and the others are
// called. After runtime.Goexit the others are called as well, but then the goroutine ends: that
// of whoever has settled f.
//
// Stop takes fn back, and reports whether it did: false if fn has been called, or is about to be.
// It does not wait for fn. Until f is settled that keeps fn, and costs no goroutine. AfterSettled
// panics if f or fn is nil.
func AfterSettled[V any](f *Future[V], fn func(Result[V])) (stop func() bool) {
	if f == nil || fn == nil {
		panic("future: AfterSettled of a nil future or function")
	}
	w := f.cell().Watch(func() {
		r, _ := f.Poll()
		if err := invoke(func() { fn(r) }); err != nil {
			logPanic(err)
		}
	})
	return func() bool { return f.cell().Unwatch(w) }
}

// invoke calls fn and returns its panic.
func invoke(fn func()) (err error) {
	Invoke(context.Background(), func(context.Context) error { fn(); return nil }, &err)
	return err
}

// logPanic logs that a function of the user's has panicked. The handler of the log, which is the
// user's too, can do no harm by a panic.
func logPanic(err error) {
	defer func() { _ = recover() }()
	attrs := []slog.Attr{slog.Any("error", err)}
	if p, ok := err.(*PanicError); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	const text = "future: function of AfterSettled failed"
	slog.LogAttrs(context.Background(), slog.LevelError, text, attrs...)
}
