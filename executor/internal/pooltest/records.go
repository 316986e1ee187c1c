package pooltest

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Trace records what happens and when, as "name 10ms".
type Trace struct {
	Start time.Time

	mu    sync.Mutex
	marks []string
}

// NewTrace returns an empty trace whose times count from now.
func NewTrace() *Trace { return &Trace{Start: time.Now()} }

// Mark records that something happens now.
func (tr *Trace) Mark(name string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	tr.marks = append(tr.marks, fmt.Sprintf("%s %v", name, time.Since(tr.Start)))
}

// Task returns a body that records its run.
func (tr *Trace) Task(name string) executor.Task {
	return func(context.Context) error {
		tr.Mark(name)
		return nil
	}
}

// Lasting returns a body that takes the given time and then records its end.
func (tr *Trace) Lasting(name string, length time.Duration) executor.Task {
	return func(context.Context) error {
		time.Sleep(length)
		tr.Mark(name)
		return nil
	}
}

// Seen returns what has been recorded so far.
func (tr *Trace) Seen() []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return append([]string{}, tr.marks...)
}

// Errors is an error handler that keeps what it is called with.
type Errors struct {
	mu   sync.Mutex
	errs []error
	Runs []executor.Run // read it only when no task runs any more
}

// Handle is the handler, an argument for [executor.ErrorHandler].
func (h *Errors) Handle(_ context.Context, run executor.Run, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.errs, h.Runs = append(h.errs, err), append(h.Runs, run)
}

// Told returns the errors that the handler was called with.
func (h *Errors) Told() []error {
	h.mu.Lock()
	defer h.mu.Unlock()
	return append([]error{}, h.errs...)
}

// Log is a log handler that keeps the messages of its records.
type Log struct {
	mu    sync.Mutex
	texts []string
}

// Enabled implements [slog.Handler].
func (l *Log) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs implements [slog.Handler].
func (l *Log) WithAttrs([]slog.Attr) slog.Handler { return l }

// WithGroup implements [slog.Handler].
func (l *Log) WithGroup(string) slog.Handler { return l }

// Handle implements [slog.Handler].
func (l *Log) Handle(_ context.Context, r slog.Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, r.Message)
	return nil
}

// All returns the messages so far.
func (l *Log) All() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.texts...)
}

// NewLog returns a logger, and the text that is written to it.
func NewLog() (*slog.Logger, *Text) {
	text := new(Text)
	return slog.New(slog.NewTextHandler(text, nil)), text
}

// Text collects what is written to it. It is safe for concurrent use.
type Text struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write implements [io.Writer].
func (l *Text) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

// String returns the text so far.
func (l *Text) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Lines returns the lines so far.
func (l *Text) Lines() []string {
	return strings.FieldsFunc(l.String(), func(r rune) bool { return r == '\n' })
}

// ExitLog is a log handler that ends the goroutine of whoever writes a record.
type ExitLog struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (ExitLog) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements [slog.Handler].
func (ExitLog) Handle(context.Context, slog.Record) error { runtime.Goexit(); return nil }
