package timer

import (
	"context"
	"fmt"
	"log/slog"
)

// death is why a timer has died. It asks the cause, which may be the user's, for its text only when somebody asks it.
type death struct{ cause error }

func (d *death) Error() string   { return fmt.Sprintf("%v: a task has failed: %v", ErrClosed, d.cause) }
func (d *death) Unwrap() []error { return []error{ErrClosed, d.cause} }

// end refuses all tasks to come for the given reason and drops those that are queued. It reports how
// many these were, cancelled ones not counted.
func (t *Timer) end(reason error) (lost int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over != nil {
		return 0
	}
	t.over = reason
	for _, n := range t.heap.Filter(func(int64, *node) bool { return false }) {
		if n.state.CompareAndSwap(scheduled, dropped) {
			lost++
		}
	}
	t.ring()
	return lost
}

// die ends the timer because its goroutine does, for the given cause, and logs it. A timer that was
// cancelled during the run logs it too.
func (t *Timer) die(cause error) {
	lost := t.end(&death{cause})
	defer func() { _ = recover() }() // a panic of the log's handler, or of what it is given
	attrs := []slog.Attr{
		slog.String("timer", t.name),
		slog.Int("lost", lost),
		slog.Any("error", cause),
	}
	if p, ok := cause.(*PanicError); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	slog.LogAttrs(context.Background(), slog.LevelError, "timer: a task has killed its timer", attrs...)
}
