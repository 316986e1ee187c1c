// Package failure is what executors make of failures: it writes down what nobody else is told of,
// and the panics.
package failure

import (
	"context"
	"errors"
	"log/slog"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Log is where an executor of the given name writes its failures: to Logger, or if that is nil to
// slog.Default.
type Log struct {
	Executor string
	Logger   *slog.Logger
}

// Write logs that a run of a task, or something about it, has failed. Neither the methods of the error nor
// the handler of the log, which are the user's, can do harm by a panic.
func (l Log) Write(text, task string, run uint64, err error) { l.failed(text, task, run, err) }

// WriteStreak logs that a run of a series that goes on has failed, the last of so many in a row.
func (l Log) WriteStreak(task string, run uint64, err error, streak uint64) {
	l.failed("run of a periodic task failed", task, run, err, slog.Uint64("streak", streak))
}

// WriteEnd logs the first success of a series after so many failures.
func (l Log) WriteEnd(task string, run, streak uint64) {
	l.write(slog.LevelInfo, "periodic task succeeds again", task, run, slog.Uint64("streak", streak))
}

func (l Log) failed(text, task string, run uint64, err error, attrs ...slog.Attr) {
	attrs = append([]slog.Attr{slog.Any("error", err)}, attrs...)
	if stack := stackOf(err); stack != nil {
		attrs = append(attrs, slog.String("stack", string(stack)))
	}
	l.write(slog.LevelError, text, task, run, attrs...)
}

func (l Log) write(level slog.Level, text, task string, run uint64, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	logger := l.Logger
	if logger == nil {
		logger = slog.Default()
	}
	attrs = append([]slog.Attr{
		slog.String("pool", l.Executor),
		slog.String("task", task),
		slog.Uint64("run", run),
	}, attrs...)
	logger.LogAttrs(context.Background(), level, "executor: "+text, attrs...)
}

// Overrun is the error late of a run that has outlived its time-out, with what its body returned.
func Overrun(late, err error) error {
	if err == nil || err == context.DeadlineExceeded {
		return late
	}
	return cell.Joined(late, err)
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
