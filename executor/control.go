package executor

import (
	"context"
	"errors"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
)

// Overview: the commands below steer a series from outside. Whatever is called when, and from where,
// runs never overlap: a command during a run takes effect at the end of the run. Package series has
// the arithmetic. Each command is one step under the lock of the pool, in which the plan changes and
// the waiting task moves in the queue.

// LastRun is a run of a periodic task that has ended.
type LastRun struct {
	Run
	Took time.Duration // from start to end
	Err  error         // nil if the run succeeded
}

// errEnded is returned for a command to a series that has ended.
var errEnded = errors.New("executor: the periodic task has ended")

// commanded returns what a command needs, or false if the task obeys none.
func (f *ScheduledFuture[V]) commanded() (*run.Owner, *cell.Cell, *run.Plan, bool) {
	c := f.cell()
	o, pl := f.host().Plan(c)
	return o, c, pl, o != nil
}

// Pause suspends a periodic task. A run in progress goes on, with its retries. What falls due during
// the pause is dropped, and counted in [Run.Missed] of the next planned run. Trigger works during a
// pause too. Pause reports whether this call has suspended the task: it returns false for one that
// is paused or has ended, and for one that runs once, which [ScheduledFuture.Reset] can put off.
//
// A paused task still belongs to its pool: it is cancelled and shut down like any other.
func (f *ScheduledFuture[V]) Pause() bool {
	o, c, pl, ok := f.commanded()
	return ok && o.Pause(c, pl)
}

// Resume ends a pause. The next run is the first of the grid that is not over: at a fixed rate the
// phase stays; with a fixed delay it is some whole delays after the time that was planned. For a run
// at once, call [ScheduledFuture.Trigger] as well. Resume reports whether the task was paused.
func (f *ScheduledFuture[V]) Resume() bool {
	o, c, pl, ok := f.commanded()
	return ok && o.Resume(c, pl)
}

// Paused reports whether the task is paused: by Pause, or by [PauseAfter].
func (f *ScheduledFuture[V]) Paused() bool {
	o, c, pl, ok := f.commanded()
	return ok && o.Paused(c, pl)
}

// Trigger makes a periodic task run once more, as soon as may be: when a worker is free and, if a
// run is in progress, after that. The plan stays as it is, and [MaxRuns] does not count the run;
// [Run.Triggered] tells it from the others. Calls before it begins are one. Trigger reports whether
// the task takes the command: it returns false for one that has ended, and for one that runs once.
// If the run in progress turns out to be the last, no other follows.
func (f *ScheduledFuture[V]) Trigger() bool {
	o, c, pl, ok := f.commanded()
	return ok && o.Trigger(c, pl)
}

// Reset plans the next run for delay from now; zero or less means now. From there a periodic task
// goes on with its period. If a run is in progress, the next one waits for its end. A paused task
// stays paused.
//
// A task that runs once is put off, or brought forward, unless it has begun: that is debounce. Reset
// reports whether it has moved the task. O(log n).
func (f *ScheduledFuture[V]) Reset(delay time.Duration) bool {
	o, c, pl, ok := f.commanded()
	return ok && o.Reset(c, pl, delay)
}

// SetPeriod changes the period, or the delay between runs, from now on. The next run is one new
// period after the last one was planned or, with a fixed delay, after it ended; if that has passed,
// the next run is now, and begins a new grid. The time of a first run stays. With the period that it
// has already, SetPeriod does nothing.
//
// SetPeriod returns [ErrInvalid] for a period that is not positive, or does not go with the options
// of the task; for a task that runs once; and an error for one that has ended.
func (f *ScheduledFuture[V]) SetPeriod(d time.Duration) error {
	o, c, pl, ok := f.commanded()
	if !ok {
		return invalid("a task that runs once has no period")
	}
	live, err := o.SetPeriod(c, pl, d)
	if err == nil && !live {
		err = errEnded
	}
	return err
}

// Last returns the last run of a periodic task that has ended, or false if there is none. For a task
// that runs once, the future has all there is to know.
func (f *ScheduledFuture[V]) Last() (LastRun, bool) {
	o, _, pl, ok := f.commanded()
	if !ok || !pl.Periodic() {
		return LastRun{}, false
	}
	last, ok := o.Latest(pl)
	return lastRunOf(last), ok
}

func lastRunOf(last run.LastRun) LastRun { return LastRun{Run(last.Info), last.Took, last.Err} }

// NextIn is for the body of a periodic task: the next run comes d after the end of this one, this
// once. At a fixed rate the grid stays: the run after that is the next on the grid. Zero or less
// means at once. Of several calls the last counts. ctx is the context of the run, or derives from
// it; with any other, and after the run, NextIn does nothing and returns false.
func NextIn(ctx context.Context, d time.Duration) bool {
	if ctx == nil {
		return false
	}
	return cell.Within(ctx, func(c *cell.Cell) bool {
		if c.Plan == nil {
			return false
		}
		h, ok := c.Plan.Host.(timetable)
		if !ok {
			return false
		}
		o, pl := h.Plan(c)
		return o.NextIn(c, pl, d)
	})
}
