package text

import (
	"log/slog"
	"time"
)

// Attrs are the fields of a value for a log. Its methods leave out what is empty.
type Attrs []slog.Attr

// Add adds fields as they are.
func (as *Attrs) Add(more ...slog.Attr) { *as = append(*as, more...) }

// Name adds the field "name".
func (as *Attrs) Name(name string) {
	if name != "" {
		as.Add(slog.String("name", name))
	}
}

// Span adds a duration.
func (as *Attrs) Span(key string, d time.Duration) {
	if d != 0 {
		as.Add(slog.String(key, d.String()))
	}
}

// Time adds a moment.
func (as *Attrs) Time(key string, at time.Time) {
	if !at.IsZero() {
		as.Add(slog.Time(key, at))
	}
}
