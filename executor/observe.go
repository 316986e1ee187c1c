package executor

import (
	"context"
	"slices"

	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/sight"
)

// An Observer has functions that are called at each step in the life of the tasks of a pool or
// event loop. Each field may be nil, and costs nothing then. Several observers are called in the
// order given; Ended in the reverse order, so that what Began has opened is closed like brackets.
// If a function panics or calls runtime.Goexit, that is reported like the panic of a hook, and the
// others are called all the same.
//
// The functions are called without a lock, on the goroutine where it happens, and may call the
// pool. One that waits for the end of the pool while that waits for it gets [future.ErrSelfWait]:
// Close and CloseContext shut the pool down, and return that. What they take is taken from the
// tasks: the time of Began, Late and Missed is part of the run. After Goexit the goroutine ends, a
// worker is replaced, and a run goes on all the same; Goexit in Submitted refuses the task.
//
//	Submitted -> Rejected               it is refused
//	Submitted -> Began -> Ended         for each run, and each attempt
//	Submitted -> Cancelled              by its future, or the context that it is submitted within
//	Submitted -> Dropped                handed back or discarded, by a shutdown or for room
//
// Tasks of a serial.Serial, a bulk.Group and a supervisor are tasks of their pool. Where there is
// an observer, a task of Execute costs as much as one of Submit.
type Observer struct {
	// Submitted is called by the submitter before the task can begin. Of the run, Name is set, and
	// Scheduled, if it is known when the first run comes.
	Submitted func(Run)

	// Rejected is called after Submitted if the task is not accepted after all. The error is the
	// one that the submitter gets; nil if a [rejection.Policy] or a [queue.WorkQueue] has panicked,
	// or a function has ended the submitter's goroutine. A task that has been accepted is never
	// rejected, however its submission ends.
	Rejected func(Run, error)

	// Began is called on the goroutine of each run, before the hooks of [BeforeRun], with its
	// context. It may return another one derived from that, which the hooks and the body get then,
	// or nil.
	Began func(context.Context, Run) context.Context

	// Late is called after Began for a run that begins late: later than the ExplainLate of [Watch]
	// says, or else than 10 ms. It is called after Expired for a run that has expired: then
	// Lateness.Expired is set, and the context is that of the pool, see [BaseContext]. Runs are
	// measured then, as with Watch.
	Late func(context.Context, Run, insight.Lateness)

	// Missed is called after Began for a run with Run.Missed above zero.
	Missed func(Run)

	// Overran is called when a run, or an attempt, exceeds its [Timeout], while its body may still
	// be running.
	Overran func(Run)

	// Ended is called after each run, and after the hooks of [AfterRun]; but, unlike these, also if
	// an error handler ends the goroutine. It is not called if the body of a task that has ended by
	// its timeout is still running.
	Ended func(context.Context, Run, error)

	// Expired is called in place of Began and Ended for a run that does not begin in time, see
	// [BeginWithin]. Late follows if it is to be explained.
	Expired func(Run)

	// Cancelled is called once for a task that was cancelled, by the canceller. If it is in a run,
	// Ended follows. A series that had been handed back before is dropped instead.
	Cancelled func(Run)

	// Dropped is called for a task that will not run, or not again, because of a shutdown, or to
	// make room. The error is that of its future. A series that is handed back during a run is told
	// when its future is settled, whatever settles it; the error is nil if the run was the last
	// after all.
	Dropped func(Run, error)

	// Paused and Resumed are called for a periodic task, see [Handle.Pause] and [PauseAfter]. One
	// that has ended is not paused.
	Paused, Resumed func(Run)
}

// Observe adds observers to a pool or event loop.
func Observe(observers ...Observer) CommonOption {
	return forLoops(func(s *run.Settings) {
		for _, o := range observers {
			observe(s, o)
		}
	})
}

// observe adds one observer.
func observe(s *run.Settings, o Observer) {
	c := sight.ConfigOf(s)
	c.Observed = true
	all := &c.Observers
	add(&all.Submitted, o.Submitted)
	add(&all.Missed, o.Missed)
	add(&all.Overran, o.Overran)
	add(&all.Expired, o.Expired)
	add(&all.Cancelled, o.Cancelled)
	add(&all.Paused, o.Paused)
	add(&all.Resumed, o.Resumed)
	addError(&all.Rejected, o.Rejected)
	addError(&all.Dropped, o.Dropped)
	if o.Began != nil {
		all.Began = append(all.Began,
			func(ctx context.Context, r run.Info) context.Context { return o.Began(ctx, Run(r)) })
	}
	if o.Late != nil {
		c.Measure = true
		all.Late = append(all.Late, func(ctx context.Context, r run.Info, l insight.Lateness) {
			o.Late(ctx, Run(r), l)
		})
	}
	if o.Ended != nil {
		all.Ended = slices.Insert(all.Ended, 0, func(ctx context.Context, r run.Info, err error) {
			o.Ended(ctx, Run(r), err)
		})
	}
}

func add(hooks *run.Hooks[func(run.Info)], f func(Run)) {
	if f != nil {
		*hooks = append(*hooks, func(r run.Info) { f(Run(r)) })
	}
}

func addError(hooks *run.Hooks[func(run.Info, error)], f func(Run, error)) {
	if f != nil {
		*hooks = append(*hooks, func(r run.Info, err error) { f(Run(r), err) })
	}
}
