package pairs

import (
	"time"

	"github.com/punctual-go/punctual/executor"
)

// ticks is a calendar of its own: every so often on the wall clock.
type ticks struct {
	l      *life
	r      *record
	start  time.Time
	period time.Duration
}

// Next returns the next tick.
func (t *ticks) Next(after time.Time) time.Time {
	if t.r.answered {
		t.l.called(byName["On"], t.r.t.name())
	}
	n := after.Sub(t.start)/t.period + 1
	if after.Before(t.start) {
		n = 0
	}
	return t.start.Add(n * t.period)
}

// calendar returns the calendar of a task.
func (l *life) calendar(r *record) executor.Calendar {
	return &ticks{l, r, l.at(r.t.at + r.t.delay + ms), r.t.period}
}
