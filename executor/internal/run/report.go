package run

import "log/slog"

// Reporter tells of failures whoever has asked for that: the error handlers or, if there are none, the
// log. They are called without the owner's lock, on the goroutine of the run.
type Reporter struct {
	Settings
	Kind string // of the owner: pool, loop
}

// Report tells the error handlers of a failure, or the log if there are none.
func (r *Reporter) Report(run Info, err error) {
	if r.OnError == nil {
		r.logFailure("task failed", run, err)
		return
	}
	r.Tell(run, err, func(inHandler error) {
		r.logFailure("error handler failed", run, inHandler)
	})
}

// runFailed tells the error handler of a failed run of a series that goes on, the last of so many
// in a row. If there is none, it tells the log of those that are notable.
func (r *Reporter) runFailed(run Info, err error, streak uint64, notable bool) {
	switch {
	case r.OnError != nil:
		r.Report(run, err)
	case notable:
		r.logFailure("run of a periodic task failed", run, err, slog.Uint64("streak", streak))
	}
}

// seriesRecovers ends a streak of failures, and tells the log if that has told of the failures.
func (r *Reporter) seriesRecovers(pl *Plan, run Info) {
	streak := pl.Streak.Len()
	pl.Streak.End()
	if r.OnError == nil {
		r.log(slog.LevelInfo, "periodic task succeeds again", run, slog.Uint64("streak", streak))
	}
}

// seriesEnded makes sure that a periodic task does not end by a failure in silence.
func (r *Reporter) seriesEnded(run Info, err error) {
	if r.OnError != nil {
		defer r.Report(run, err) // also if the log ends the goroutine
	}
	r.logFailure("periodic task ended by a failure", run, err)
}
