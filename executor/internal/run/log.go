package run

import (
	"context"
	"errors"
	"log/slog"

	"github.com/punctual-go/punctual/future"
)

// logFailure logs that a run of a task, or something about it, has failed. Neither the methods of
// the error nor the handler of the log, which are the user's, can do harm by a panic.
func (r *Reporter) logFailure(text string, run Info, err error, more ...slog.Attr) {
	attrs := append([]slog.Attr{slog.Any("error", err)}, more...)
	if stack := stackOf(err); stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	r.log(slog.LevelError, text, run, attrs...)
}

func (r *Reporter) log(level slog.Level, text string, run Info, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	logger := r.Logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs = append([]slog.Attr{
		slog.String("pool", r.Name),
		slog.String("task", run.Name),
		slog.Uint64("run", run.Number),
	}, attrs...)
	logger.LogAttrs(context.Background(), level, "executor: "+text, attrs...)
}

// stackOf returns the stack of a panic, if err is one. Looking for it calls methods of the user's
// error, which may panic themselves.
func stackOf(err error) (stack []byte) {
	defer func() { _ = recover() }()
	if p, ok := errors.AsType[*future.PanicError](err); ok {
		return p.Stack
	}
	return nil
}
