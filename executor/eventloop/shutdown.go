package eventloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// Shutdown refuses further tasks and lets the accepted ones run at their times. Periodic tasks end:
// at once, or after the run in progress. What will not run is cancelled before Shutdown returns.
// Shutdown does not wait, interrupts nothing, and may be called from a task. It does nothing on a
// loop that already refuses tasks.
func (l *Loop) Shutdown() { l.life.shut(draining, false, false) }

// ShutdownNow refuses further tasks, ends the context of the running one with the cause
// [executor.ErrShutdown], and returns the tasks that will not begin, or not begin again, in order
// of their times. Their futures are settled with an error that matches both [future.ErrCancelled]
// and ErrShutdown. A series that is in a run is among them, unless it is the last run anyway; its
// future is settled when the run ends, with the run's own error if that ends the series.
// ShutdownNow does not wait for the running task, and may be called from it. A second call returns
// nothing.
func (l *Loop) ShutdownNow() []executor.Pending {
	return l.life.shut(stopping, false, true).Dropped
}

// ShutdownGracefully drops the tasks that are not yet due and all periodic ones, and goes on
// accepting and running tasks for now. Once no task has run for the time quiet, or timeout has
// passed, it refuses further tasks, runs those it has, and ends. Meanwhile tasks for later are
// accepted, but dropped soon after, unless they are due by then. If quiet is 0, the loop ends as
// soon as nothing is due.
//
// ShutdownGracefully does not wait, interrupts nothing, and may be called from a task. It does
// nothing on a loop that is shut down already. It returns [executor.ErrInvalid] if quiet is
// negative or timeout is below quiet.
func (l *Loop) ShutdownGracefully(quiet, timeout time.Duration) error {
	if quiet < 0 {
		return fmt.Errorf("%w: negative quiet period %v", executor.ErrInvalid, quiet)
	}
	if timeout < quiet {
		return fmt.Errorf("%w: timeout %v is below the quiet period %v",
			executor.ErrInvalid, timeout, quiet)
	}
	if swept, begun := l.life.beQuiet(quiet, timeout); begun {
		l.life.settle(swept)
	}
	l.rest.signal(0)
	return nil
}

// beQuiet begins the quiet period, unless the loop is shut down, and takes out what is not for now;
// the caller settles that.
func (lf *life) beQuiet(quiet, timeout time.Duration) (swept []*cell.Cell, begun bool) {
	lf.loop.mu.Lock()
	defer lf.loop.mu.Unlock()
	if lf.stage != running {
		return nil, false
	}
	lf.loop.waiting.collectLocked()
	// Read after collecting: every task for now that has been submitted is due by this time.
	now := lf.loop.clock.Now()
	lf.loop.runs.EndShortageLocked()
	lf.stage, lf.loop.worker.heeds = quieting, true
	lf.calm = calm{quiet: quiet, from: now, end: clock.Later(now, timeout), dropDelayed: true}
	return lf.sweepLocked(now), true
}

// Close shuts the loop down, drops the tasks that are not yet due and all periodic ones, waits for
// the others to run, and returns nil. If a task never ends, Close waits for ever;
// [Loop.CloseContext] does not. Called from a task of the loop, or from a callback that the end of
// the loop waits for, Close does not wait, but returns [future.ErrSelfWait].
func (l *Loop) Close() error {
	_, err := l.CloseContext(context.Background())
	return err
}

// CloseContext is [Loop.Close] with a limit: when ctx ends it does what [Loop.ShutdownNow] does,
// and returns the error of ctx without waiting for a task that still runs. The report lists the
// tasks that will not begin, or not begin again, including a series that was in a run at the time
// of the call; and the task whose context was ended while it was running, whether or not it takes
// notice. Called from a task of the loop, or from a callback that the end of the loop waits for,
// CloseContext returns [future.ErrSelfWait] at once. A nil ctx never ends.
func (l *Loop) CloseContext(ctx context.Context) (executor.Report, error) {
	report := l.life.shut(draining, true, true)
	err := l.AwaitTermination(ctx)
	switch {
	case err == nil:
		report.Running = nil
	case !cell.Matches(err, future.ErrSelfWait):
		rest := l.life.shut(stopping, false, true)
		report.Dropped = append(report.Dropped, rest.Dropped...)
		report.Running = rest.Running
		slices.SortStableFunc(report.Dropped, byTime)
	}
	return report, err
}

// AwaitTermination waits until the loop has been shut down and its last task has ended, and returns
// nil; or until ctx ends, and returns the error of ctx. It does not shut the loop down. Called from
// a task of the loop, which would wait for itself, it returns [future.ErrSelfWait] at once;
// likewise from a callback that the end of the loop waits for. A nil ctx never ends.
func (l *Loop) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, l.life.gone, l.life.outlives)
}

// Terminated returns a channel that is closed when the loop has been shut down and its last task
// has ended.
func (l *Loop) Terminated() <-chan struct{} { return l.life.gone }

// shut brings the loop to stage to, at least, and returns what it has dropped and what was running.
// With listed, the caller hands the report on, so a series in its run belongs into it; otherwise
// nobody would see it there.
func (lf *life) shut(to stage, dropDelayed, listed bool) (report executor.Report) {
	l := lf.loop
	l.mu.Lock()
	lf.refuseLocked()
	lf.stage = max(lf.stage, to)
	lf.calm.dropDelayed = lf.calm.dropDelayed || dropDelayed
	var active []*cell.Cell
	if c := l.worker.exec.Task; c != nil {
		report.Running = l.worker.runningLocked()
		if to == stopping {
			active = append(active, c)
		}
	}
	var series []executor.Pending
	if listed {
		series = l.worker.handBackRunLocked()
	}
	swept := lf.sweepLocked(l.clock.Now())
	l.mu.Unlock()
	report.Dropped = lf.settle(swept, active...)
	l.rest.signal(0)
	if len(series) > 0 {
		report.Dropped = append(report.Dropped, series...)
		slices.SortStableFunc(report.Dropped, byTime)
	}
	return report
}

// refuseLocked makes the loop refuse tasks from now on.
func (lf *life) refuseLocked() {
	if lf.stage < draining {
		lf.loop.runs.EndShortageLocked()
		lf.stage = draining
		arrived := lf.loop.waiting.intake.close()
		lf.announce() // tasks are refused by now
		lf.loop.waiting.admitLocked(arrived)
	}
}

// sweepQuietingLocked takes out what a quieting loop does not run, and ends that stage when it is
// time. If there is anything for the caller to settle, or the stage has ended, again is true, and
// the caller looks again after that.
func (lf *life) sweepQuietingLocked(now int64) (swept []*cell.Cell, again bool) {
	if swept = lf.calm.unwanted; len(swept) > 0 {
		lf.calm.unwanted = nil
		lf.loop.runs.SettlesLocked()
		return swept, true
	}
	busy := lf.loop.waiting.agenda.head() != nil || !lf.loop.waiting.intake.empty()
	if now >= lf.calm.end || !busy && now >= lf.calm.until() {
		lf.refuseLocked()
		// The clock is read again: the tasks taken in just now must count as due.
		return lf.sweepLocked(lf.loop.clock.Now()), true
	}
	return nil, false
}

// sweepLocked takes off the agenda what may not run in the present stage; the caller settles it
// without the lock, and the loop does not end before that.
func (lf *life) sweepLocked(now int64) []*cell.Cell {
	lf.loop.runs.SettlesLocked()
	unwanted := lf.calm.unwanted
	lf.calm.unwanted = nil
	slices.SortFunc(unwanted, runqueue.Compare)
	return runqueue.Interleave(unwanted, lf.loop.waiting.agenda.filter(func(c *cell.Cell) bool {
		return lf.wantedLocked(c, now)
	}), precedes)
}

// settle completes what sweepLocked or sweepQuietingLocked has begun: it interrupts the active
// task, if one is given, drops the swept tasks, and returns those that nobody had cancelled.
func (lf *life) settle(swept []*cell.Cell, active ...*cell.Cell) []executor.Pending {
	l := lf.loop
	for _, c := range active {
		c.Interrupt(executor.ErrShutdown)
	}
	dropped := make([]executor.Pending, 0, len(swept))
	var untold []run.Dropped // all are settled and counted first
	var settled []*cell.Cell // of a group
	for group := range cell.Ahead(swept) {
		settled = settled[:0]
		for _, c := range group {
			d, ok := l.runs.Drop(c, planOf(c))
			if !ok {
				continue
			}
			settled = append(settled, c)
			if l.runs.Tells(d) {
				untold = append(untold, d)
			}
		}
		l.mu.Lock()
		l.counts.returned += uint64(len(settled))
		l.counts.reclaimed += uint64(len(group) - len(settled)) // cancelled before, or just now
		for _, c := range settled {
			letGoLocked(c)
		}
		l.mu.Unlock()
		// Only now, as until it was settled a series obeyed commands, with the lock held.
		for _, c := range settled {
			dropped = append(dropped, l.pendingOf(c))
			c.Body = nil
		}
	}
	l.runs.TellAll(untold)
	return dropped
}

// terminateLocked ends the loop. The caller closes gone, without the lock.
func (lf *life) terminateLocked() {
	lf.stage = terminated
	lf.loop.worker.goroutine.Store(0)
	lf.loop.rest.alarm.Close()
	lf.loop.runs.UnwatchLocked()
	lf.loop.runs.EndHealthLocked()
}

// outlives reports whether a caller who waits for the end of the loop would wait in vain: it is the
// loop's task or the error handler of an overrun, which the goroutine tells; or ctx ends only when
// such a task does.
func (lf *life) outlives(ctx context.Context) bool {
	return lf.loop.worker.current() != nil || lf.loop.runs.Outlives(ctx)
}
