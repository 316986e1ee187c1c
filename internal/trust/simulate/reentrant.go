package simulate

import (
	"context"
	"log/slog"
	"time"
)

// reentrantContext is a base context whose methods call the pool.
type reentrantContext struct {
	context.Context
	callbacks *callbacks
}

func (b *reentrantContext) reenter() {
	if h := b.callbacks.hosts; h != nil {
		_, _ = h[0].pool.Stats(), h[0].pool.Queued()
	}
}

func (b *reentrantContext) Value(key any) any           { b.reenter(); return b.Context.Value(key) }
func (b *reentrantContext) Err() error                  { b.reenter(); return b.Context.Err() }
func (b *reentrantContext) Done() <-chan struct{}       { b.reenter(); return b.Context.Done() }
func (b *reentrantContext) Deadline() (time.Time, bool) { b.reenter(); return b.Context.Deadline() }

// reentrantHandler is a log handler that may misbehave.
type reentrantHandler struct{ callbacks *callbacks }

func (h reentrantHandler) Enabled(context.Context, slog.Level) bool { return true }
func (h reentrantHandler) WithAttrs([]slog.Attr) slog.Handler       { return h }
func (h reentrantHandler) WithGroup(string) slog.Handler            { return h }

func (h reentrantHandler) Handle(_ context.Context, r slog.Record) error {
	n := len(r.Message) + r.NumAttrs()
	r.Attrs(func(a slog.Attr) bool { n += len(a.Value.String()); return true })
	h.callbacks.misbehave(h.callbacks.drawMisbehaviour("log", n), n)
	return errBoom
}

// reentrantError is an error whose methods may misbehave.
type reentrantError struct {
	callbacks *callbacks
	n         int
}

func (e *reentrantError) Error() string {
	e.callbacks.misbehave(e.callbacks.drawMisbehaviour("text", e.n), e.n)
	return "bad"
}

func (e *reentrantError) Is(error) bool {
	if a := e.callbacks.drawMisbehaviour("is", e.n); a != exitsGoroutine {
		e.callbacks.misbehave(a, e.n)
	}
	return false
}
