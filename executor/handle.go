package executor

import (
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: the commands below steer a series from outside. Whatever is called when, and from
// where, runs never overlap: a command during a run takes effect at the end of the run. Package
// series has the arithmetic. Each command is one step under the lock of the pool, in which the plan
// changes and the waiting task moves in the queue.

// Handle is a task of a pool or an event loop, whatever the type of its result: to look at it and
// to steer it. It is what [Pool.Tasks] and [Pool.Lookup] return, and comparable: two handles of one
// task are equal. Every [ScheduledFuture] has one embedded. The zero Handle stands for no task:
// nothing but == may be used on it.
//
// Every method is one step: what it tells or does is of one moment. They may be called from
// anywhere, also from the task itself.
type Handle cell.Ref

func (h Handle) cell() *cell.Cell { return cell.Ref(h).Cell() }

// Kind says when a task runs.
type Kind string

// The kinds of tasks.
const (
	Once       Kind = "once"
	FixedRate  Kind = "fixed rate"
	FixedDelay Kind = "fixed delay"
	OnCalendar Kind = "calendar"
)

// LastRun is a run of a periodic task that has ended.
type LastRun struct {
	Run
	Took    time.Duration // from start to end
	Err     error         // nil if the run succeeded
	Skipped bool          // the run has not failed either: Err matches [ErrSkipped]
}

// errEnded is returned for a command to a series that has ended.
var errEnded = errors.New("executor: the periodic task has ended")

// commanded returns what a command needs, or false if no pool and no loop has scheduled the task.
func (h Handle) commanded() (o *run.Owner, pl *run.Plan, ok bool) {
	c := h.cell()
	if c == nil || c.Plan == nil {
		return nil, nil, false
	}
	host, ok := c.Plan.Host.(timetable)
	if ok {
		o, pl = host.Plan(c)
	}
	return o, pl, ok
}

// Name returns the name of the task; it may be empty.
func (h Handle) Name() string {
	if _, pl, ok := h.commanded(); ok {
		return pl.Name
	}
	return ""
}

// Kind says when the task runs.
func (h Handle) Kind() Kind {
	_, pl, ok := h.commanded()
	switch {
	case !ok || !pl.Periodic():
		return Once
	case pl.Dates != nil:
		return OnCalendar
	case pl.Series.Period > 0:
		return FixedRate
	}
	return FixedDelay
}

// State returns the state of the task's future.
func (h Handle) State() future.State { return future.State(h.cell().Phase()) }

// Next returns the time of the next run. It reports false if none is planned: the task has ended,
// is in its last run or is paused, or its time is more than 292 years away, which is never.
//
// While a run of a series is in progress, Next tells the time of the one after it, which may have
// passed: then that run begins at the end of this one. It is without the [Jitter], which is drawn
// at the end, and as if this run ended now, which makes a difference under [Skip] and [Shift]. If
// only the end of the run says when the next comes, Next reports false: with a fixed delay, with
// [DelayBy], after [NextIn], with [SlowDown] at a fixed rate, and on a calendar under Skip once a
// time has passed.
func (h Handle) Next() (at time.Time, planned bool) {
	if o, pl, ok := h.commanded(); ok {
		return o.Next(h.cell(), pl)
	}
	return at, false
}

// Runs returns how many runs have begun.
func (h Handle) Runs() uint64 {
	o, pl, ok := h.commanded()
	if !ok {
		return 0
	}
	return o.Runs(h.cell(), pl)
}

// Period returns the period of a task at a fixed rate, or the delay of one with a fixed delay, as
// it is now; 0 for a task without a period.
func (h Handle) Period() time.Duration {
	o, pl, ok := h.commanded()
	if !ok {
		return 0
	}
	return o.PeriodOf(pl)
}

// Cancel is [future.Future.Cancel].
func (h Handle) Cancel() bool { return h.cell().Cancel(nil, future.ErrCancelled, true) }

// Stop is [future.Future.Stop].
func (h Handle) Stop() bool { return h.cell().Cancel(nil, future.ErrCancelled, false) }

// Stopped is [future.Future.Stopped].
func (h Handle) Stopped() <-chan struct{} { return h.cell().Stopped() }

// Pause suspends a periodic task. A run in progress goes on, with its retries. What falls due
// during the pause is dropped, and counted in [Run.Missed] of the next planned run. Trigger works
// during a pause too. Pause reports whether this call has suspended the task: it returns false for
// one that is paused or has ended, and for one that runs once, which [Handle.Reset] can put off.
//
// A paused task still belongs to its pool: it is cancelled and shut down like any other.
func (h Handle) Pause() bool {
	o, pl, ok := h.commanded()
	return ok && o.Pause(h.cell(), pl)
}

// Resume ends a pause. The next run is the first of the grid that is not over: at a fixed rate the
// phase stays; with a fixed delay it is some whole delays after the time that was planned. For a
// run at once, call [Handle.Trigger] as well. Resume reports whether the task was paused.
func (h Handle) Resume() bool {
	o, pl, ok := h.commanded()
	return ok && o.Resume(h.cell(), pl)
}

// Paused reports whether the task is paused: by Pause, or by [PauseAfter].
func (h Handle) Paused() bool {
	o, pl, ok := h.commanded()
	return ok && o.Paused(h.cell(), pl)
}

// Trigger makes a periodic task run once more, as soon as may be: when a worker is free and, if a
// run is in progress, after that. The plan stays as it is, and [MaxRuns] does not count the run;
// [Run.Triggered] tells it from the others. Calls before it begins are one. Trigger reports whether
// the task takes the command: it returns false for one that has ended, and for one that runs once.
// If the run in progress turns out to be the last, no other follows. A task with a delay that does
// not pass, math.MaxInt64, has no other runs.
func (h Handle) Trigger() bool {
	o, pl, ok := h.commanded()
	return ok && o.Trigger(h.cell(), pl)
}

// Reset plans the next run for delay from now; zero or less means now. From there a periodic task
// goes on with its period or calendar. If a run is in progress, the next one waits for its end. A
// paused task stays paused.
//
// A task that runs once is put off, or brought forward, unless it has begun: that is debounce, for
// which package debounce has more. Reset reports whether it has moved the task. O(log n).
func (h Handle) Reset(delay time.Duration) bool {
	o, pl, ok := h.commanded()
	return ok && o.Reset(h.cell(), pl, delay)
}

// SetPeriod changes the period, or the delay between runs, from now on. The next run is one new
// period after the last one was planned or, with a fixed delay, after it ended; if that has passed,
// the next run is now, and begins a new grid. If runs were skipped, or dropped by a pause, the new
// period counts from where the old one did, a period before the next run; [SlowDown] stretches
// both. The time of a first run stays. With the period that it has already, SetPeriod does nothing.
//
// SetPeriod returns [ErrInvalid] for a period that is not positive, or does not go with the options
// of the task; for a task that runs once or is on a calendar; and an error for one that has ended.
func (h Handle) SetPeriod(d time.Duration) error {
	o, pl, ok := h.commanded()
	if !ok {
		return invalid("a task that runs once has no period")
	}
	live, err := o.SetPeriod(h.cell(), pl, d)
	if err == nil && !live {
		err = o.Refusal(pl.Name, "the periodic task has ended", errEnded)
	}
	return o.Misuse(pl.Name, err)
}

// Last returns the last run of a periodic task that has ended, or false if there is none. For a
// task that runs once, the future has all there is to know.
func (h Handle) Last() (LastRun, bool) {
	o, pl, ok := h.commanded()
	if !ok || !pl.Periodic() {
		return LastRun{}, false
	}
	last, ok := o.Latest(pl)
	return lastRunOf(last), ok
}

func lastRunOf(last run.LastRun) LastRun {
	return LastRun{Run(last.Info), last.Took, last.Err, last.Skipped}
}
