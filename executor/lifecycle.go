package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// stage is the stage of a pool's life. It only moves forward:
//
//	running  -> draining    Shutdown, Close: refuses tasks, runs what the policies keep
//	running  -> stopping    ShutdownNow: starts nothing more
//	draining -> stopping    ShutdownNow
//	draining -> tidying     the queue is empty, the last run over, the last worker gone
//	stopping -> tidying     the last run over, the last worker gone
//	tidying  -> terminated  the AfterTermination hooks have returned
type stage uint8

const (
	running stage = iota
	draining
	stopping
	tidying
	terminated
)

// String returns the stage as [Stats] shows it.
func (s stage) String() string {
	return [...]string{"running", "shutting down", "stopping", "tidying", "terminated"}[s]
}

// Shutdown makes the pool refuse further tasks and lets the accepted ones run as its policies say.
// A task that is due runs in any case, once its [Gap] or [Pace] allows it. A later one runs at its
// time, unless
// [ScheduledPool.SetExecuteDelayedAfterShutdown] says otherwise. A periodic task ends, after its
// run if it is in one, unless [ScheduledPool.SetContinuePeriodicAfterShutdown] says otherwise. What
// will not run is cancelled before Shutdown returns.
//
// Shutdown does not wait and interrupts nothing. It may be called from a task. On a pool that is
// already shut down it does nothing.
func (p *Pool) Shutdown() {
	p.mu.Lock()
	p.drainLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// ShutdownNow makes the pool refuse further tasks, ends the contexts of the running tasks with the
// cause [ErrShutdown], and drops all others. It returns those that never started, or will not start
// again, in the order of their times; see [Pending]. Their futures are settled with an error that
// matches both [future.ErrCancelled] and ErrShutdown. ShutdownNow does not wait for the running
// tasks, and may be called from one. A second call returns nothing.
//
// A series that is in a run is also returned, even if a Shutdown before has made that run the last,
// but not if the run was to be its last in any case. Its future is settled when the run ends, with
// the error of the run if the run fails and thereby ends the series.
//
// Whether a task that has just been accepted counts as started depends on who was to run it: if a
// worker had to be started for it, it has started; if an idle worker was woken, or the task waits
// in the unbounded queue, it starts only when the worker takes it.
func (p *Pool) ShutdownNow() []Pending {
	return p.stopNow().Dropped
}

// stopNow is ShutdownNow that also returns, from the same moment, which tasks it has interrupted.
func (p *Pool) stopNow() (report Report) {
	p.mu.Lock()
	p.drainLocked()
	p.stage = max(p.stage, stopping)
	var active []*cell.Cell
	for x := range p.executionsLocked() {
		if x.Task != nil {
			active = append(active, x.Task)
		}
	}
	report.Running = p.runningLocked()
	series := p.handBackRunsLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	report.Dropped = joined(p.settle(swept, active...), series)
	return report
}

// Close shuts the pool down, drops periodic tasks and those that are not yet due, and waits until
// the others have run and the workers have ended. A task is due from its own time on, and its next
// attempt, see [Retry], from when that is planned; what only waits for its turn, a [Gap] or a
// [Pace] is due, and Close waits for it. Close returns nil. A task that never ends makes it wait
// forever; [Pool.CloseContext] does not. If it is called from a task of the same pool, Close does
// all this except wait, and returns [future.ErrSelfWait]; likewise from a callback that the end of
// the pool waits for.
func (p *Pool) Close() error {
	_, err := p.CloseContext(context.Background())
	return err
}

// CloseContext is Close that waits until ctx ends. It then does what [Pool.ShutdownNow] does, and
// returns the error of ctx without waiting for the tasks that are still running; [Pool.Terminated]
// tells when the last has ended. A nil ctx never ends. If it is called from a task of the same
// pool, or from a callback that the end of the pool waits for, CloseContext shuts the pool down and
// drops tasks like Close, but neither waits nor interrupts, and returns [future.ErrSelfWait].
//
// The report lists the tasks that never started, or will not start again, including series that
// were in a run at the call; each task is in one report only. It also lists the tasks that were
// running when their contexts were ended, no matter how soon they end after that.
func (p *Pool) CloseContext(ctx context.Context) (Report, error) {
	dropped, rest, err := p.closeWithin(ctx)
	return Report{joined(dropped, rest.Dropped), rest.Running}, err
}

// closeWithin is CloseContext that tells apart what was dropped at once, as not yet due, and the
// rest, which did not end before ctx.
func (p *Pool) closeWithin(ctx context.Context) (dropped []Pending, rest Report, err error) {
	p.mu.Lock()
	p.drainLocked()
	p.executeDelayed.Store(false)
	p.continuePeriodic.Store(false)
	series := p.handBackRunsLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	dropped = joined(p.settle(swept), series)
	err = p.AwaitTermination(ctx)
	switch {
	case err == nil:
	// The caller is among them, and goes on after this: nothing is interrupted.
	case cell.Matches(err, future.ErrSelfWait):
		rest.Running = p.Running()
	default:
		rest = p.stopNow()
	}
	return dropped, rest, err
}

// AwaitTermination waits until the pool has been shut down and its last worker has ended, and
// returns nil; or until ctx ends, and returns its error. It does not shut the pool down. A nil ctx
// never ends. If it is called from a task of the same pool, which would wait for itself, it returns
// [future.ErrSelfWait] at once; likewise from a callback that the end of the pool waits for.
func (p *Pool) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, p.done, p.outlives)
}

// Terminated returns a channel that is closed once the pool has been shut down, its last worker has
// ended, and the hooks of [AfterTermination] have returned.
func (p *Pool) Terminated() <-chan struct{} { return p.done }

// drainLocked makes the pool refuse further tasks, those in progress at the inbox included.
func (p *Pool) drainLocked() {
	if p.stage != running {
		return
	}
	p.stage = draining
	p.runs.EndShortageLocked()
	if p.inbox != nil {
		p.inbox.Close()
	}
	p.announce() // starts the functions of AfterShutdown, on other goroutines: tasks are refused
	p.blockedSubmitters.refuseAllLocked(p)
	p.resumeLocked() // a worker may have to be started for what waits
	p.lot.CallAll()
}

// outlives reports whether the pool cannot end before the caller does, who would wait for itself: a
// task of the pool, a callback that is told of a task which has ended without a run, the
// AfterTermination hook, the Writer of a recording. These are known by their goroutines. It is true
// also if ctx itself ends only with a run of the pool.
func (p *Pool) outlives(ctx context.Context) bool {
	return p.current() != nil || p.runs.Outlives(ctx)
}

// sweepLocked removes from the queue what the stage and the policies do not let run. The caller
// must pass the result to settle, after unlocking; the pool does not end before that.
func (p *Pool) sweepLocked() []*cell.Cell {
	p.runs.SettlesLocked()
	if p.stage == running {
		return nil // all tasks that there are may run
	}
	if p.stage >= stopping {
		swept := p.emptyLocked()
		p.vacateLocked(swept)
		return swept
	}
	now := p.clock.Now()
	keep := func(c *cell.Cell) bool { return p.mayStayLocked(c, now) }
	swept := p.takeDeferredLocked(keep)
	if !p.plain { // all that is in the queue of a plain pool is due
		swept = merge(p.inOrderLocked(p.queue.Filter(keep)), swept)
	}
	return p.advancedPastLocked(swept)
}

// emptyLocked takes out everything that waits, and returns it in the order of its times. The batch
// comes first: its tasks have left the queue.
func (p *Pool) emptyLocked() []*cell.Cell {
	p.recallLocked()
	none := func(*cell.Cell) bool { return false }
	waiting := merge(p.inOrderLocked(p.queue.Filter(none)), p.takeHeldBackLocked())
	return merge(waiting, p.takeDeferredLocked(none))
}

// advancedPastLocked lets in what waits in a serial executor behind a swept task, which was not
// due, and returns the swept tasks.
func (p *Pool) advancedPastLocked(swept []*cell.Cell) []*cell.Cell {
	for _, c := range swept {
		p.vacatedLocked(c)
	}
	return swept
}

// settle ends what sweepLocked has begun. It interrupts the given active tasks, settles the futures
// of the swept ones, and returns those that nobody has cancelled at the same moment.
func (p *Pool) settle(swept []*cell.Cell, active ...*cell.Cell) []Pending {
	for _, c := range active {
		// Without the lock: an ending context calls the functions that wait for it.
		c.Interrupt(ErrShutdown)
	}
	return p.dropAll(swept, func(c *cell.Cell) (run.Dropped, bool) {
		return p.runs.Drop(c, &planOf(c).Plan)
	})
}

// dropAll settles tasks that have left the queue, each by drop, and returns those that nobody has
// cancelled at the same moment. The caller has called SettlesLocked for it. Who is to be told of
// that may do what it likes, so all are settled and counted first.
func (p *Pool) dropAll(
	swept []*cell.Cell, drop func(c *cell.Cell) (run.Dropped, bool),
) []Pending {
	delay.At(delay.TasksSwept)
	dropped := make([]Pending, 0, len(swept))
	var untold []run.Dropped
	var settled []*cell.Cell // of a group
	for group := range cell.Ahead(swept) {
		settled = settled[:0]
		for _, c := range group {
			d, ok := drop(c)
			if !ok {
				c.Body = nil
				continue
			}
			settled = append(settled, c)
			if p.runs.Tells(d) {
				untold = append(untold, d)
			}
		}
		p.mu.Lock()
		p.allLeaveLocked(group)
		found := len(group) - len(settled) // cancelled by their futures, just now
		p.counts.returned += uint64(len(settled))
		p.counts.cancelled += uint64(found)
		p.runs.FoundCancelledLocked(found)
		p.mu.Unlock()
		// Only now, as until it was settled a series obeyed commands, with the lock held.
		for _, c := range settled {
			dropped = append(dropped, p.pendingOfLocked(c))
			c.Body = nil
		}
	}
	p.runs.TellAll(untold)
	return dropped
}

// emptiedLocked checks whether the pool has come to its end. It is called after the queue has
// shrunk, a worker has gone, or settling is done. At the end it returns true, once: the caller then
// unlocks and calls finish. If there is nothing left to do but workers are idle, it calls them, so
// that they go.
func (p *Pool) emptiedLocked() (ended bool) {
	return p.stage != running && p.endedLocked() // so much is inlined
}

func (p *Pool) endedLocked() bool {
	if p.stage >= tidying || p.runs.SettlingLocked() > 0 || !p.overLocked() {
		return false
	}
	// Idle workers may be parked until a time that will not come any more.
	if len(p.workers) > 0 {
		p.lot.CallAll()
	}
	if len(p.workers)+len(p.extraRuns) > 0 {
		return false
	}
	p.stage = tidying
	return true
}

// settled is called when somebody has settled tasks, which the end of the pool may have waited for.
func (p *Pool) settled() {
	p.mu.Lock()
	ended := p.emptiedLocked()
	p.mu.Unlock()
	p.finish(ended)
}

// finish brings the pool to its end if emptiedLocked has said so. The hooks, and the Writer of a
// recording, get a goroutine of their own, so that they cannot hold up, or end, the goroutine of
// somebody who calls Shutdown.
func (p *Pool) finish(ended bool) {
	switch {
	case !ended:
	case p.terminated == nil && !p.runs.Recorded:
		p.terminate()
		close(p.done)
	default:
		go func() {
			p.mu.Lock()
			p.runs.SettlesLocked()
			p.mu.Unlock()
			// Deferred, as each may end the goroutine.
			defer close(p.done)
			defer p.runs.EndSettling()
			defer p.terminate()
			p.terminated.Each(func(hook func()) {
				p.guard("terminated", Run{}, func() {
					p.unlabel() // a new goroutine has the labels of the one that started it
					hook()
				})
			})
		}()
	}
}

// terminate ends all but what the closing of done tells of. Only whoever moved the pool to tidying
// gets here, so that is closed once.
func (p *Pool) terminate() {
	delay.At(delay.Terminating)
	p.mu.Lock()
	p.stage = terminated
	p.lot.Close()
	p.runs.UnwatchLocked()
	p.runs.EndHealthLocked()
	p.mu.Unlock()
	p.runs.CloseRecording()
}
