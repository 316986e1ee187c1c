package run

import (
	"context"
	"errors"
	"log/slog"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/gate"
)

// logFailure logs that a run of a task, or something that belongs to it, has failed. The methods of
// the error and the handler of the log are the user's; how they fail is dropped.
func (r *Reporter) logFailure(text string, run Info, err error, more ...slog.Attr) {
	attrs := append([]slog.Attr{slog.Any("error", err)}, more...)
	if stack := stackOf(err); stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	r.Log(slog.LevelError, text, run, attrs...)
}

// Log writes a record that names the executor, the task and the run. How the handler of the log
// fails, which is the user's, is dropped.
func (r *Reporter) Log(level slog.Level, text string, run Info, attrs ...slog.Attr) {
	gate.Call(func() { r.write(level, text, run, attrs) }, func(*gate.End) {})
}

func (r *Reporter) write(level slog.Level, text string, run Info, attrs []slog.Attr) {
	about := []slog.Attr{
		slog.String("pool", r.Name),
		slog.String("task", run.Name),
		slog.Uint64("run", run.Number),
	}
	if run.Attempt > 1 {
		about = append(about, slog.Uint64("attempts", run.Attempt))
	}
	r.logger().LogAttrs(context.Background(), level, "executor: "+text, append(about, attrs...)...)
}

// Warn writes a record that names the owner alone. The handler of the log is the user's; a panic of
// it is dropped.
func (r *Reporter) Warn(text string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	r.logger().LogAttrs(context.Background(), slog.LevelWarn, "executor: "+text,
		append([]slog.Attr{slog.String("pool", r.Name)}, attrs...)...)
}

// logger returns that of the settings, or the default one as it is now.
func (r *Reporter) logger() *slog.Logger {
	if r.Logger == nil {
		return slog.Default()
	}
	return r.Logger
}

// stackOf returns the stack of a panic, or nil if err is none. Looking for it calls methods of the
// user's error, which may panic.
func stackOf(err error) (stack []byte) {
	defer func() { _ = recover() }()
	var p *future.PanicError
	if errors.As(err, &p) {
		return p.Stack
	}
	return nil
}
