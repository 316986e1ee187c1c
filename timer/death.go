package timer

import (
	"context"
	"fmt"
	"log/slog"
)

// death is the error of a timer that has died. It formats the cause, which may be user code, only
// when it is asked for its own text, and so never under the timer's lock.
type death struct{ cause error }

func (d *death) Error() string {
	return fmt.Sprintf("%v: a task has failed: %v", ErrClosed, d.cause)
}

func (d *death) Unwrap() []error { return []error{ErrClosed, d.cause} }

// end makes the timer refuse every further task with the given reason, and drops the queued ones.
// It returns how many it dropped, not counting those already cancelled.
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
	t.ring() // for the goroutine to find the heap empty, and end
	return lost
}

// die ends the timer because its goroutine is ending, for the given cause, and logs that. It logs
// even if the timer was cancelled during the run: a panic must not go unheard.
func (t *Timer) die(cause error) {
	lost := t.end(&death{cause})
	defer func() { _ = recover() }() // the log handler may panic, and so may the cause's own text
	attrs := []slog.Attr{
		slog.String("timer", t.name),
		slog.Int("lost", lost),
		slog.Any("error", cause),
	}
	if p, ok := cause.(*PanicError); ok {
		attrs = append(attrs, slog.String("stack", string(p.Stack)))
	}
	slog.LogAttrs(context.Background(), slog.LevelError,
		"timer: a task has killed its timer", attrs...)
}
