package eventloop

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
)

// stage is where a loop stands. It only moves forward:
//
//	running  -> quieting    ShutdownGracefully: takes what is for now, drops what is for later
//	running  -> draining    Shutdown, Close: refuses tasks, runs what is left
//	quieting -> draining    it has been quiet for long enough, or it takes too long; or Shutdown, Close
//	running, quieting, draining -> stopping    ShutdownNow: runs nothing more
//	draining, stopping -> terminated           nothing is left, and nothing runs
type stage uint8

const (
	running stage = iota
	quieting
	draining
	stopping
	terminated
)

// String returns the stage in lower case.
func (s stage) String() string {
	return [...]string{"running", "quieting", "shutting down", "stopping", "terminated"}[s]
}

// calm is what a loop that is quieting waits for. Its lock guards it, dropDelayed in all stages.
type calm struct {
	quiet time.Duration
	from  int64 // when it began to be quiet
	end   int64 // of its patience

	unwanted    []*cell.Cell // have come in, and are to be dropped
	dropDelayed bool         // what is not due when the loop is shut down does not run
}

// until returns how long the loop is to be quiet, if nothing comes.
func (k *calm) until() int64 { return min(clock.Later(k.from, k.quiet), k.end) }

// Shutdown refuses further tasks and lets the accepted ones run at their times, but for periodic ones,
// which end, after their run if they are in one. What will not run is cancelled before Shutdown returns.
// Shutdown does not wait, interrupts nothing, may be called from a task, and does nothing on a loop that
// refuses tasks already.
func (l *Loop) Shutdown() { l.shut(draining, false, false) }

// ShutdownNow refuses further tasks, ends the context of the running one with the cause
// [executor.ErrShutdown], and returns those that never started, or will not start again, in the order of
// their times. Their futures are settled: their error matches both [future.ErrCancelled] and ErrShutdown.
// A series that is in a run is among them, unless that run is its last in any case; its future is
// settled when that run ends, with the error of the run if it fails by that. ShutdownNow does not
// wait for the running task and may be called from it. A second call returns nothing.
func (l *Loop) ShutdownNow() []executor.Pending { return l.shut(stopping, false, true).Dropped }

// ShutdownGracefully drops what is not yet due and all periodic tasks, and goes on to take and run tasks
// for now, until the loop has been quiet, that is without a run, for as long as quiet, or timeout has
// passed. Then it refuses tasks, runs those it has, and ends. Tasks for later are accepted meanwhile, but
// dropped at the next pass, unless they are due by then. With a quiet of 0 the loop ends as soon as nothing
// is due. It does not wait, interrupts nothing, may be called from a task, and does nothing on a loop that is
// shut down already. It returns [executor.ErrInvalid] for a negative quiet, or a timeout below that.
func (l *Loop) ShutdownGracefully(quiet, timeout time.Duration) error {
	if quiet < 0 {
		return fmt.Errorf("%w: negative quiet period %v", executor.ErrInvalid, quiet)
	}
	if timeout < quiet {
		return fmt.Errorf("%w: timeout %v is below the quiet period %v", executor.ErrInvalid, timeout, quiet)
	}
	if swept, begun := l.beQuiet(quiet, timeout); begun {
		l.settle(swept)
	}
	l.signal(0)
	return nil
}

// beQuiet begins to wait for quiet, unless the loop is shut down, and takes out what is not for now, for
// the caller to settle.
func (l *Loop) beQuiet(quiet, timeout time.Duration) (swept []*cell.Cell, begun bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stage != running {
		return nil, false
	}
	l.collect()
	now := l.clock.Now() // what has come by now is for now
	l.stage = quieting
	l.calm = calm{quiet: quiet, from: now, end: clock.Later(now, timeout), dropDelayed: true}
	return l.sweepLocked(now), true
}

// Close shuts the loop down, drops the tasks that are not yet due and all periodic ones, and waits for the
// others to run. It returns nil. A task that never ends keeps Close waiting for ever: [Loop.CloseContext]
// does not. Called from a task of the loop, Close does all but wait, and returns [future.ErrSelfWait].
func (l *Loop) Close() error {
	_, err := l.CloseContext(context.Background())
	return err
}

// CloseContext is Close until ctx ends; then it does what [Loop.ShutdownNow] does and returns the error of
// ctx, without waiting for the task that still runs. The report tells what never started, or will
// not start again, a series that was in a run at the call included; and what was running when its
// context was ended, whether it heeds that at once or never. Called from a task of the loop it
// returns [future.ErrSelfWait] at once. A nil ctx never ends.
func (l *Loop) CloseContext(ctx context.Context) (executor.Report, error) {
	report := l.shut(draining, true, true)
	err := l.AwaitTermination(ctx)
	switch {
	case err == nil:
		report.Running = nil
	case !cell.Matches(err, future.ErrSelfWait):
		rest := l.shut(stopping, false, true)
		report.Dropped = append(report.Dropped, rest.Dropped...)
		report.Running = rest.Running
		slices.SortStableFunc(report.Dropped, byTime)
	}
	return report, err
}

// AwaitTermination waits until the loop has been shut down and its last task has ended, and returns nil; or
// until ctx ends, and returns its error. It does not shut the loop down. Called from a task of the loop,
// which would wait for itself, it returns [future.ErrSelfWait] at once. A nil ctx never ends.
func (l *Loop) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, l.gone, l.outlives)
}

// Terminated returns a channel that is closed when the loop has been shut down and its last task has
// ended.
func (l *Loop) Terminated() <-chan struct{} { return l.gone }

// shut brings the loop to the stage, at least, and returns what it has dropped, and what was
// running. Listed means that somebody will see that, so that a series in its run is to be among it.
func (l *Loop) shut(to stage, dropDelayed, listed bool) (report executor.Report) {
	l.mu.Lock()
	l.refuse()
	l.stage = max(l.stage, to)
	l.calm.dropDelayed = l.calm.dropDelayed || dropDelayed
	var active []*cell.Cell
	if c := l.exec.Task; c != nil {
		report.Running = l.runningLocked()
		if to == stopping {
			active = append(active, c)
		}
	}
	var series []executor.Pending
	if listed {
		series = l.handBackRunLocked()
	}
	swept := l.sweepLocked(l.clock.Now())
	l.mu.Unlock()
	report.Dropped = l.settle(swept, active...)
	l.signal(0)
	if len(series) > 0 {
		report.Dropped = append(report.Dropped, series...)
		slices.SortStableFunc(report.Dropped, byTime)
	}
	return report
}

// refuse has the loop take no more tasks. The lock is held.
func (l *Loop) refuse() {
	if l.stage < draining {
		l.stage = draining
		l.announce()
		l.admit(l.intake.close())
	}
}

// hush takes out what a loop that is quieting does not run, and ends that stage in time. If there is
// anything to settle for that, the caller does so, and looks again. The lock is held.
func (l *Loop) hush(now int64) (swept []*cell.Cell, again bool) {
	if swept = l.calm.unwanted; len(swept) > 0 {
		l.calm.unwanted = nil
		l.runs.Settling++
		return swept, true
	}
	busy := l.agenda.head() != nil || !l.intake.empty()
	if now >= l.calm.end || !busy && now >= l.calm.until() {
		l.refuse()
		return l.sweepLocked(l.clock.Now()), true // not before the last task came in
	}
	return nil, false
}

// wanted reports whether the stage lets c run. The lock is held.
func (l *Loop) wanted(c *cell.Cell, now int64) bool {
	switch {
	case l.stage == running:
		return true
	case l.stage >= stopping, planOf(c).Periodic():
		return false
	}
	return !l.calm.dropDelayed || c.When <= now
}

// sweepLocked takes off the agenda what the stage does not let run, for the caller to settle.
func (l *Loop) sweepLocked(now int64) []*cell.Cell {
	l.runs.Settling++
	swept := append(l.calm.unwanted, l.agenda.filter(func(c *cell.Cell) bool { return l.wanted(c, now) })...)
	l.calm.unwanted = nil
	slices.SortFunc(swept, compare)
	return swept
}

// settle ends what sweepLocked, or hush, has begun: it interrupts the active task, if one is given, drops
// those taken off the agenda, and returns the ones that nobody had cancelled. The loop does not end before
// all are settled.
func (l *Loop) settle(swept []*cell.Cell, active ...*cell.Cell) []executor.Pending {
	for _, c := range active {
		c.Interrupt(executor.ErrShutdown)
	}
	dropped := make([]executor.Pending, 0, len(swept))
	for _, c := range swept {
		if c.Drop() {
			dropped = append(dropped, l.pendingOf(c))
			c.Body = nil
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.runs.Settling--
	l.counts.returned += uint64(len(dropped))
	l.counts.buried += uint64(len(swept) - len(dropped)) // cancelled before, or at the same time
	return dropped
}

// terminate ends the loop, all but saying so. The lock is held.
func (l *Loop) terminate() {
	l.stage = terminated
	l.goroutine.Store(0)
	l.alarm.Close()
}
