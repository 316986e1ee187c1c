// Package runlog keeps what runs log: the last lines of each, how far it is, and the id of its
// trace, so that a page can show them beside the run. The page of contrib/inspect does.
//
//	slog.SetDefault(slog.New(runlog.Handler(slog.NewJSONHandler(os.Stderr, nil))))
//	runs := runlog.New(runlog.Config{})
//	jobs := executor.NewScheduledPool(4, executor.Name("jobs"), executor.Observe(runs.Observer()))
//	page := inspect.Handler(jobs).With(inspect.RunLog(runs))
//
// A body logs with its context, as in slog.InfoContext(ctx, "copied"), and says how far it is by
// [Progress]. What is logged without the context of a run, as by slog.Info, or in a run of a pool
// without the observer, is only passed on.
//
// # Which run a line belongs to
//
// That whose context it is logged with, or a context derived from it. So a line may come after the
// end of its run, from a goroutine that the run has left behind, or from a body that has exceeded
// its timeout: it is kept as well. A run in a pool without an observer, which was given the values
// of a context of another run, logs for that one.
//
// A [Log] may serve several pools and event loops, which are told apart by their names: so each
// needs one of its own, see [executor.Name]. Of several Logs that observe one pool, the last gets
// the lines.
//
// # Bounds
//
// A [Config] says how many lines of a run are kept, how many runs of the tasks of a name, and how
// many bytes in all. The oldest go first: lines of a run, runs of a name, and of all runs those that
// have ended. [Run.Dropped] and [Stats] say how many have gone. Of a line the first 2 KiB are kept,
// as text: neither the record nor a value in it is held.
//
// # What it does to logging
//
// The handler passes each record on as it is, if the next handler is enabled for it. Whether a line
// is kept is up to [Config.Level] alone, so there may be lines of a level that is logged nowhere
// else; a [slog.LogValuer] is resolved once more for that, without a lock. If it panics, the line
// says so; if it logs, that is another line.
//
// # Cost
//
// Without the observer a record costs a look at its context. With it, a run costs four
// allocations and, if it logs, the lock of the Log for some nanoseconds as it begins to and as it
// ends. A line that is kept costs one allocation, and about as much time as with a handler that
// writes text: go test -bench Line.
package runlog
