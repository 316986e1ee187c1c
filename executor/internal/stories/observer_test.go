package stories_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
)

// observer writes what a pool tells into the trace.
func (st *stage) observer() executor.Observer {
	see := st.trace.see
	return executor.Observer{
		Submitted: func(r executor.Run) {
			when := ""
			if r.Scheduled.After(time.Now()) {
				when = " for " + st.trace.shown(r.Scheduled)
			}
			see(r.Name, other, "%s submitted%s", r.Name, when)
		},
		Rejected: func(r executor.Run, err error) {
			see(r.Name, other, "%s rejected%s", r.Name, failure(err))
		},
		Began: func(ctx context.Context, r executor.Run) context.Context {
			see(r.Name, begins, "%s begins%s", runName(r), lateness(r))
			return nil
		},
		Missed: func(r executor.Run) {
			see(r.Name, other, "%s has missed %d", runName(r), r.Missed)
		},
		Overran: func(r executor.Run) {
			see(r.Name, other, "%s exceeds its timeout", runName(r))
		},
		Ended: func(_ context.Context, r executor.Run, err error) {
			see(r.Name, ends, "%s ends%s", runName(r), failure(err))
		},
		Expired:   func(r executor.Run) { see(r.Name, other, "%s expires", runName(r)) },
		Cancelled: func(r executor.Run) { see(r.Name, other, "%s cancelled", r.Name) },
		Dropped: func(r executor.Run, err error) {
			see(r.Name, other, "%s dropped%s", r.Name, failure(err))
		},
		Paused:  func(r executor.Run) { see(r.Name, other, "%s paused", r.Name) },
		Resumed: func(r executor.Run) { see(r.Name, other, "%s resumed", r.Name) },
	}
}

// lateness tells how late a run begins. A further attempt has the time of the first.
func lateness(r executor.Run) string {
	if d := r.Started.Sub(r.Scheduled); d > 0 && r.Attempt <= 1 {
		return fmt.Sprintf(", %v after its time", d)
	}
	return ""
}

// explainer writes what late runs had to wait for.
func (st *stage) explainer() executor.Observer {
	return executor.Observer{
		Late: func(_ context.Context, r executor.Run, l insight.Lateness) {
			st.trace.see(r.Name, other, "%s had to wait: %v", runName(r), l)
		},
	}
}

// runName names a run of a task: tick#3, and with an attempt tick#3.2 or tea.2.
func runName(r executor.Run) string {
	name := r.Name
	if r.Periodic {
		name += fmt.Sprintf("#%d", r.Number)
	}
	if r.Attempt > 0 {
		name += fmt.Sprintf(".%d", r.Attempt)
	}
	if r.Triggered {
		name += " (triggered)"
	}
	return name
}

// failure is an error in a line of a trace; nothing if it is nil.
func failure(err error) string {
	if err == nil {
		return ""
	}
	return ": " + strings.Join(strings.Split(err.Error(), "\n"), "; ")
}

// log writes what a pool logs into the trace.
type log struct{ tr *trace }

func (l log) Enabled(context.Context, slog.Level) bool { return true }
func (l log) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l log) WithGroup(string) slog.Handler            { return l }

func (l log) Handle(_ context.Context, r slog.Record) error {
	task := ""
	var attrs []string
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "task" {
			task = a.Value.String()
		}
		if a.Key != "stack" && a.Key != "pool" {
			attrs = append(attrs, a.String())
		}
		return true
	})
	l.tr.see(task, other, "log %v: %s %s", r.Level, r.Message, strings.Join(attrs, " "))
	return nil
}
