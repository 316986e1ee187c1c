package pairs

import (
	"context"
	"log/slog"
)

var silent = slog.New(slog.DiscardHandler)

// logHandler is the user's own handler of logs: a callback.
type logHandler struct {
	l       *life
	feature *Feature
	task    string
}

func (h *logHandler) Enabled(context.Context, slog.Level) bool { return true }

func (h *logHandler) Handle(_ context.Context, rec slog.Record) error {
	name := h.task
	rec.Attrs(func(a slog.Attr) bool {
		if a.Key == "task" || a.Key == "name" {
			name = a.Value.String()
		}
		return true
	})
	h.l.called(h.feature, name)
	return nil
}

func (h *logHandler) WithAttrs([]slog.Attr) slog.Handler { return h }
func (h *logHandler) WithGroup(string) slog.Handler      { return h }

// tape is the user's own writer of a recording: a callback.
type tape struct {
	l       *life
	feature *Feature
}

func (t *tape) Write(text []byte) (int, error) {
	t.l.gauges.writes(text)
	t.l.called(t.feature, "")
	return len(text), nil
}
