package cluster

import (
	"context"
	"log/slog"
)

// Part is what [Redact] is asked about.
type Part string

const (
	// PartPayload is the payload of a task, as its codec has written it.
	PartPayload Part = "payload"
	// PartError is the text of an error that a task has returned, or of a panic.
	PartError Part = "error"
)

// hidden is shown instead of what could not be redacted.
const hidden = "(hidden, as the function of Redact has panicked)"

// Redact has show decide what becomes visible of payloads and of the texts of errors, where the pool
// shows them of its own accord: in the rows of [Pool.Failed] and of other lists, with their JSON, and
// in the log, that of the pool which Serve makes included. It is given the name of the task, and
// returns what is to be seen; "" hides it. Without it all is shown.
//
// What is stored stays as it is, as a task needs its payload, and so does what a future's Get
// returns. Who may read the streams of the pool sees that, too: see package rights. A pool given by
// [Executor] has a log of its own.
//
// show is called by several goroutines at a time. If it panics, or calls runtime.Goexit, the text is
// hidden.
func Redact(show func(task string, part Part, text string) string) Option {
	return func(s *settings) { s.redact = show }
}

// shown is what may be seen of a text of a task.
func (p *Pool) shown(task string, part Part, text string) (shown string) {
	if p.redact == nil {
		return text
	}
	if callUser(func() { shown = p.redact(task, part, text) }) != nil {
		return hidden
	}
	return shown
}

// shownError is an error of a task for the log.
func (p *Pool) shownError(task string, err error) any {
	if p.redact == nil {
		return err
	}
	return p.shown(task, PartError, err.Error())
}

// redacted is a failed task as it may be seen.
func (f Failed) redacted(p *Pool) Failed {
	if p.redact != nil {
		f.Error = p.shown(f.Task, PartError, f.Error)
		f.Payload = []byte(p.shown(f.Task, PartPayload, string(f.Payload)))
	}
	return f
}

// localLogger is the log of the local pool, which tells of errors by itself.
func (p *Pool) localLogger() *slog.Logger {
	if p.redact == nil {
		return p.logger
	}
	return slog.New(redacting{p.logger.Handler(), p})
}

// redacting is a handler that redacts what package executor logs.
type redacting struct {
	slog.Handler
	pool *Pool
}

func (h redacting) Handle(ctx context.Context, r slog.Record) error {
	var task string
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "task" {
			task = a.Value.String()
		}
		return true
	})
	shown := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "error" {
			a.Value = slog.StringValue(h.pool.shown(task, PartError, a.Value.String()))
		}
		shown.AddAttrs(a)
		return true
	})
	return h.Handler.Handle(ctx, shown)
}

func (h redacting) WithAttrs(attrs []slog.Attr) slog.Handler {
	return redacting{h.Handler.WithAttrs(attrs), h.pool}
}

func (h redacting) WithGroup(name string) slog.Handler {
	return redacting{h.Handler.WithGroup(name), h.pool}
}
