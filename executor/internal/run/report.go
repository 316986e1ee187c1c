package run

import (
	"context"
	"log/slog"
	"time"

	"github.com/punctual-go/punctual/future"
)

// Info tells one run of a task from the others: it is executor.Run, field by field.
type Info struct {
	Name      string
	Number    uint64
	Scheduled time.Time
	Started   time.Time
	Missed    uint64
}

// Reporter tells of failures whoever has asked for that: the error handler or, if there is none, the
// log. They are called without the owner's lock, on the goroutine of the run.
type Reporter struct {
	Kind    string          // of the owner: pool, loop
	Name    string          // of the owner; may be empty
	Parent  context.Context // of the handler's; nil for context.Background
	Logger  *slog.Logger    // nil for slog.Default
	Handler func(ctx context.Context, run Info, err error)
}

// Report tells the error handler of a failure, or the log if there is none.
func (r *Reporter) Report(run Info, err error) {
	if r.Handler == nil {
		r.logFailure("task failed", run, err)
		return
	}
	ctx := r.Parent
	if ctx == nil {
		ctx = context.Background()
	}
	var inHandler error
	future.Invoke(ctx, func(ctx context.Context) error {
		r.Handler(ctx, run, err)
		return nil
	}, &inHandler)
	if inHandler != nil {
		r.logFailure("error handler failed", run, inHandler)
	}
}

// runFailed tells the error handler of a failed run of a series that goes on, the last of so many
// in a row. If there is none, it tells the log of those that are notable.
func (r *Reporter) runFailed(run Info, err error, streak uint64, notable bool) {
	switch {
	case r.Handler != nil:
		r.Report(run, err)
	case notable:
		r.logFailure("run of a periodic task failed", run, err, slog.Uint64("streak", streak))
	}
}

// seriesRecovers ends a streak of failures, and tells the log if that has told of the failures.
func (r *Reporter) seriesRecovers(pl *Plan, run Info) {
	streak := pl.Streak.Len()
	pl.Streak.End()
	if r.Handler == nil {
		r.log(slog.LevelInfo, "periodic task succeeds again", run, slog.Uint64("streak", streak))
	}
}

// seriesEnded makes sure that a periodic task does not end by a failure in silence.
func (r *Reporter) seriesEnded(run Info, err error) {
	if r.Handler != nil {
		defer r.Report(run, err) // also if the log ends the goroutine
	}
	r.logFailure("periodic task ended by a failure", run, err)
}
