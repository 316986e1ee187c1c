package pairs

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// handle returns the handle of a task, if it has one.
func (l *life) handle(r *record) (executor.Handle, bool) {
	h, ok := l.journal.handle(r)
	if ok || r.t.unnamed {
		return h, ok
	}
	return l.host.find(r.t.name())
}

// give gives a command to a task, and notes its effect.
func (l *life) give(f *Feature, r *record, command func() bool) {
	from := l.now()
	if f.Name == "Resume" || f.Name == "SetPeriod" {
		l.journal.moving(r, move{what: f.Name, from: from, at: from})
	}
	if !command() {
		return
	}
	l.marks.task(f, r)
	l.journal.moving(r, move{what: f.Name, from: from, at: l.now()})
	switch f.Name {
	case "Cancel", "CancelCause", "Stop", "Withdraw":
		if at := l.journal.cancels(r); at >= 0 && r.t.way.way != wApply {
			l.found.duplicate("%v was cancelled at %v, and again", r.t, at)
		}
	}
}

// resets resets a task.
func (l *life) resets(r *record, d time.Duration, reset func(time.Duration) bool) bool {
	from := l.now()
	if d <= 0 {
		l.journal.moving(r, move{what: "Reset", from: from, at: from, d: d})
	}
	if !reset(d) {
		return false
	}
	l.marks.task(byName["Reset"], r)
	l.journal.moving(r, move{what: "Reset", from: from, at: l.now(), d: d})
	return true
}

// giveCommand gives some command, from a body or a callback.
func (l *life) giveCommand(ctx context.Context, r *record, salt uint64) {
	x := mix(salt)
	if r != nil && x%3 == 0 {
		if h, ok := l.handle(r); ok {
			switch x >> 8 % 4 {
			case 0:
				l.give(byName["Trigger"], r, h.Trigger)
			case 1:
				l.resets(r, 5*ms, h.Reset)
			case 2:
				l.give(byName["Pause"], r, h.Pause)
			case 3:
				l.give(byName["Cancel"], r, h.Cancel)
			}
			return
		}
	}
	if l.host.pool == nil {
		l.host.loop.Stats()
		l.extras.submit(l.host.executor)
		return
	}
	switch x >> 16 % 6 {
	case 0:
		l.host.pool.Stats()
		l.host.pool.Queued()
	case 1:
		if l.host.pool.SetCoreSize(1+int(x>>20%3)) == nil {
			l.course.resized()
		}
	case 2:
		l.host.pool.Drain()
	case 3:
		l.course.resumed(l.now())
		l.host.pool.Resume()
	case 4:
		l.extras.submit(l.host.executor)
	case 5:
		for h := range l.host.pool.Tasks() {
			h.Status()
		}
	}
}
