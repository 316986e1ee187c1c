package run

import "log/slog"

// Reporter reports failures to the error handlers or, if there are none, to the log. They are
// called without the owner's lock, on the goroutine of the run.
type Reporter struct {
	Settings
	Kind        string // of the owner: pool, loop
	ErrShutdown error  // the variable of that name in package executor
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

// runFailed tells the error handlers of a failed run of a series that goes on; it was failure
// number streak in a row. Without a handler it logs the notable ones.
func (r *Reporter) runFailed(run Info, err error, streak uint64, notable bool) {
	switch {
	case r.OnError != nil:
		r.Report(run, err)
	case notable:
		r.logFailure("run of a periodic task failed", run, err, slog.Uint64("streak", streak))
	}
}

// attemptOverran logs that an attempt has exceeded its timeout, whose body may never return. It
// logs even if there is a handler, which knows of runs that have failed only.
func (r *Reporter) attemptOverran(run Info, err error) {
	r.Log(slog.LevelWarn, "attempt has exceeded its timeout", run, slog.Any("error", err))
}

// seriesRecovers logs the end of a streak of failures if the failures were logged.
func (r *Reporter) seriesRecovers(run Info, streak uint64) {
	if r.OnError == nil {
		r.Log(slog.LevelInfo, "periodic task succeeds again", run, slog.Uint64("streak", streak))
	}
}

// seriesPaused logs that a periodic task pauses because of its failures. It logs even if there is a
// handler, which knows of the failures only.
func (r *Reporter) seriesPaused(run Info, err error, streak uint64) {
	r.logFailure("periodic task paused after failures", run, err, slog.Uint64("streak", streak))
}

// seriesEnded reports the failure that ends a periodic task. It logs even if there is a handler:
// nothing will run any more, and that must not go unnoticed.
func (r *Reporter) seriesEnded(run Info, err error) {
	if r.OnError != nil {
		defer r.Report(run, err) // also if the log handler calls Goexit
	}
	r.logFailure("periodic task ended by a failure", run, err)
}

// Guard calls a hook, and reports it if it panics or calls Goexit.
func (r *Reporter) Guard(name string, info Info, hook func()) {
	Callback(hook, func(err error) { r.HookFailed(info, name, err) })
}

// HookFailed reports a hook that has panicked, or called Goexit.
func (r *Reporter) HookFailed(info Info, name string, err error) {
	r.Report(info, &hookError{packages[r.Kind], name, err})
}
