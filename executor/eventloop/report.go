package eventloop

import (
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/failure"
)

// pendingOf describes c, which the caller has dropped.
func (l *Loop) pendingOf(c *cell.Cell) executor.Pending {
	pl := planOf(c)
	return executor.Pending{
		Name:      pl.Name,
		Scheduled: l.clock.Time(c.When),
		Periodic:  pl.Periodic(),
		Runs:      pl.Runs,
		Task:      c.Body,
	}
}

// runOf describes the run of c in progress.
func (l *Loop) runOf(c *cell.Cell) executor.Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.describe(c)
}

// describe is runOf with the lock held.
func (l *Loop) describe(c *cell.Cell) executor.Run {
	pl := planOf(c)
	r := executor.Run{Name: pl.Name, Number: 1, Scheduled: l.clock.Time(c.When), Started: l.clock.Time(c.Started)}
	if pl.Periodic() {
		r.Number, r.Missed = pl.Runs, pl.Missed
	}
	return r
}

// Running returns the task that runs now, if there is one.
func (l *Loop) Running() []executor.Running {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.runningLocked()
}

func (l *Loop) runningLocked() []executor.Running {
	if l.task == nil {
		return nil
	}
	run := l.describe(l.task)
	return []executor.Running{{Run: run, For: time.Since(run.Started)}}
}

// report tells the error handlers of a failure, or the log if there are none.
func (l *Loop) report(r executor.Run, err error) {
	if l.settings.OnError == nil {
		l.logFailure("task failed", r, err)
		return
	}
	l.settings.Tell(run.Info(r), err, func(inHandler error) {
		l.logFailure("error handler failed", r, inHandler)
	})
}

// runFailed tells the error handler of a failed run of a series that goes on, the last of so many
// in a row. If there is none, it tells the log of those that are notable.
func (l *Loop) runFailed(run executor.Run, err error, streak uint64, notable bool) {
	switch {
	case l.settings.OnError != nil:
		l.report(run, err)
	case notable:
		l.log().WriteStreak(run.Name, run.Number, err, streak)
	}
}

// seriesRecovers ends a streak of failures, and tells the log if that has told of the failures.
func (l *Loop) seriesRecovers(pl *plan, run executor.Run) {
	streak := pl.Streak.Len()
	pl.Streak.End()
	if l.settings.OnError == nil {
		l.log().WriteEnd(run.Name, run.Number, streak)
	}
}

// seriesEnded makes sure that a periodic task does not end by a failure in silence.
func (l *Loop) seriesEnded(run executor.Run, err error) {
	if l.settings.OnError != nil {
		defer l.report(run, err) // also if the log ends the goroutine
	}
	l.logFailure("periodic task ended by a failure", run, err)
}

func (l *Loop) logFailure(text string, run executor.Run, err error) {
	l.log().Write(text, run.Name, run.Number, err)
}

func (l *Loop) log() failure.Log {
	return failure.Log{Executor: l.settings.Name, Logger: l.settings.Logger}
}
