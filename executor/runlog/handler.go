package runlog

import (
	"context"
	"fmt"
	"log/slog"
)

// handler keeps lines of runs, and passes all records on.
type handler struct {
	next slog.Handler
	with *scope
}

// scope is what a logger adds to each of its lines: the name of a group, or attributes, after those
// of the logger from which it was made.
type scope struct {
	outer *scope
	group string // "" for attributes
	attrs []slog.Attr
}

// Handler returns a handler that keeps the lines of runs, in pools with the observer of a [Log],
// and passes on to next what that is enabled for. If next is nil, nothing is passed on.
//
// The handler of slog.Default is no such next one before slog.SetDefault was called: it writes to
// package log, which writes to the default logger from then on, and so to itself. Handler panics
// for it.
func Handler(next slog.Handler) slog.Handler {
	switch next := next.(type) {
	case nil:
		return &handler{next: slog.DiscardHandler}
	case *handler:
		return next
	}
	if fmt.Sprintf("%T", next) == "*slog.defaultHandler" {
		panic("runlog: the first handler of slog.Default can't be wrapped, as it would wait for " +
			"itself: give another, such as slog.NewTextHandler(os.Stderr, nil)")
	}
	return &handler{next: next}
}

// Enabled is that of [slog.Handler].
func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level) || of(ctx).keeps(level)
}

// Handle is that of [slog.Handler].
func (h *handler) Handle(ctx context.Context, rec slog.Record) error {
	if r := of(ctx); r.keeps(rec.Level) {
		r.keep(rec, h.with)
	}
	if !h.next.Enabled(ctx, rec.Level) {
		return nil
	}
	return h.next.Handle(ctx, rec)
}

// keeps reports whether a line of a level is kept.
func (r *record) keeps(level slog.Level) bool { return r != nil && level >= r.log.level.Level() }

// WithAttrs is that of [slog.Handler].
func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	if len(attrs) == 0 {
		return h
	}
	return &handler{h.next.WithAttrs(attrs), &scope{outer: h.with, attrs: attrs}}
}

// WithGroup is that of [slog.Handler].
func (h *handler) WithGroup(name string) slog.Handler {
	if name == "" {
		return h
	}
	return &handler{h.next.WithGroup(name), &scope{outer: h.with, group: name}}
}
