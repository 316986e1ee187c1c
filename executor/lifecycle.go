package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
	"github.com/punctual-go/punctual/internal/goid"
)

// stage is where a pool stands. It only moves forward:
//
//	running    -> draining    Shutdown, Close: refuses tasks, runs what the policies keep
//	running    -> stopping    ShutdownNow: runs nothing more
//	draining   -> stopping    ShutdownNow
//	draining   -> tidying     queue empty and last worker gone
//	stopping   -> tidying     last worker gone
//	tidying    -> terminated  the terminated hook has returned
type stage uint8

const (
	running stage = iota
	draining
	stopping
	tidying
	terminated
)

// String returns the stage in lower case.
func (s stage) String() string {
	return [...]string{"running", "shutting down", "stopping", "tidying", "terminated"}[s]
}

// Shutdown refuses further tasks and lets the accepted ones run as the policies say: a task that
// is due runs in any case; a later one runs at its time, unless
// [ScheduledPool.SetExecuteDelayedAfterShutdown] says otherwise; a periodic task ends, after its run
// if it is in one, unless [ScheduledPool.SetContinuePeriodicAfterShutdown] says otherwise. What
// will not run is cancelled before Shutdown returns. Shutdown does not wait, interrupts nothing,
// may be called from a task, and does nothing on a pool that is shut down.
func (p *Pool) Shutdown() {
	p.mu.Lock()
	p.drainLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// ShutdownNow refuses further tasks, ends the contexts of the running ones with the cause
// [ErrShutdown], and returns those that never started, or will not start again, in the order of
// their times: see [Pending]. Their futures are settled: their error matches both
// [future.ErrCancelled] and ErrShutdown. A series that is in a run is among them, unless that run
// is its last in any case; its future is settled when that run ends, with the error of the run if
// it fails by that. ShutdownNow does not wait for the running tasks and may be called from one. A
// second call returns nothing. A task that has just been accepted has started only if a worker had
// to be started for it; one for an idle worker, or from the unbounded queue, starts when the worker
// comes for it.
func (p *Pool) ShutdownNow() []Pending {
	return p.stopNow().Dropped
}

// stopNow is ShutdownNow that also tells, at one look, which tasks it has interrupted.
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

// Close shuts the pool down, drops the tasks that are not yet due and all periodic ones, and waits
// for the others to run and for the workers to end. It returns nil. A task that never ends keeps
// Close waiting for ever: [Pool.CloseContext] does not. Called from a task of the same pool, Close
// does all but wait, and returns [future.ErrSelfWait].
func (p *Pool) Close() error {
	_, err := p.CloseContext(context.Background())
	return err
}

// CloseContext is Close until ctx ends; then it does what [Pool.ShutdownNow] does and returns the
// error of ctx, without waiting for the tasks that still run. The report tells what never started,
// or will not start again, series that were in a run at the call included, each task in one report;
// and what was running when the contexts were ended, whether it heeds that at once or never.
// [Pool.Terminated] tells when the last has ended. Called from a task of the same pool it returns
// [future.ErrSelfWait] at once. A nil ctx never ends.
func (p *Pool) CloseContext(ctx context.Context) (Report, error) {
	p.mu.Lock()
	p.drainLocked()
	p.executeDelayed.Store(false)
	p.continuePeriodic.Store(false)
	series := p.handBackRunsLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	report := Report{Dropped: joined(p.settle(swept), series)}
	err := p.AwaitTermination(ctx)
	switch {
	case err == nil:
	case cell.Matches(err, future.ErrSelfWait):
		report.Running = p.Running()
	default:
		rest := p.stopNow()
		report = Report{joined(report.Dropped, rest.Dropped), rest.Running}
	}
	return report, err
}

// AwaitTermination waits until the pool has been shut down and its last worker has ended, and
// returns nil; or until ctx ends, and returns its error. It does not shut the pool down. Called
// from a task of the same pool, which would wait for itself, it returns [future.ErrSelfWait] at
// once. A nil ctx never ends.
func (p *Pool) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, p.done, p.outlives)
}

// Terminated returns a channel that is closed when the pool has been shut down and its last worker
// has ended.
func (p *Pool) Terminated() <-chan struct{} { return p.done }

// drainLocked has the pool refuse further tasks.
func (p *Pool) drainLocked() {
	if p.stage != running {
		return
	}
	p.stage = draining
	p.announce()
	if p.inbox != nil {
		p.inbox.Close()
	}
	p.blockedSubmitters.refuseAllLocked()
	p.lot.CallAll()
}

// outlives reports whether the pool does not end before the caller does: a task of it; or the
// terminated hook; or the error handler for a run that took too long. The goroutine tells. Nor does
// it end before ctx if that ends with a task.
func (p *Pool) outlives(ctx context.Context) bool {
	if p.current() != nil || p.runs.Outlives(ctx) {
		return true
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hookGoroutine == goid.Current()
}

// sweepLocked takes out of the queue what the stage and the policies do not let run, for the
// caller to settle.
func (p *Pool) sweepLocked() []*cell.Cell {
	p.runs.Settling++
	now := p.clock.Now()
	switch {
	case p.stage == running, p.stage == draining && p.plain:
		return nil // all there is is due
	case p.stage >= stopping:
		p.recallLocked()
		swept := merge(p.queue.Filter(func(*cell.Cell) bool { return false }), p.takeHeldBackLocked())
		p.vacateLocked(swept)
		return swept
	}
	return p.queue.Filter(func(c *cell.Cell) bool {
		if planOf(c).Periodic() {
			return p.continuePeriodic.Load()
		}
		return p.executeDelayed.Load() || c.When <= now
	})
}

// settle ends what sweepLocked has begun: it interrupts the active tasks given, settles the
// futures of those swept out and returns the ones that nobody had cancelled at the same time. The
// pool does not end before all are settled.
func (p *Pool) settle(swept []*cell.Cell, active ...*cell.Cell) []Pending {
	delay.At(delay.TasksSwept)
	for _, c := range active {
		c.Interrupt(ErrShutdown)
	}
	dropped := make([]Pending, 0, len(swept))
	for _, c := range swept {
		if c.Drop() {
			dropped = append(dropped, p.pendingOfLocked(c))
		}
		c.Body = nil
	}
	p.mu.Lock()
	p.runs.Settling--
	p.counts.returned += uint64(len(dropped))
	p.counts.cancelled += uint64(len(swept) - len(dropped)) // at the same time
	ended := p.emptiedLocked()
	p.mu.Unlock()
	p.finish(ended)
	return dropped
}

// emptiedLocked looks whether the pool has come to its end, after the queue has shrunk or a worker has
// gone. If it has, it returns true, once: the caller unlocks and calls finish. Otherwise, if there
// is nothing left to do, it has the idle workers go.
func (p *Pool) emptiedLocked() (ended bool) {
	if p.stage == running || p.stage >= tidying || p.runs.Settling > 0 || !p.overLocked() {
		return false
	}
	if len(p.workers) > 0 {
		p.lot.CallAll()
	}
	if len(p.workers)+len(p.extraRuns) > 0 {
		return false
	}
	p.stage = tidying
	return true
}

// settled looks whether the pool has come to its end, after a party has settled its tasks.
func (p *Pool) settled() {
	p.mu.Lock()
	ended := p.emptiedLocked()
	p.mu.Unlock()
	p.finish(ended)
}

// finish brings the pool to its end if emptied said so. The hook gets a goroutine of its own, so
// that it cannot hold up, or end, that of a caller of Shutdown.
func (p *Pool) finish(ended bool) {
	switch {
	case !ended:
	case p.terminated == nil:
		p.terminate()
	default:
		go func() {
			defer p.terminate()
			p.mu.Lock()
			p.hookGoroutine = goid.Current()
			p.mu.Unlock()
			p.terminated.Each(func(hook func()) {
				p.guard(context.Background(), "terminated", Run{}, func() {
					p.unlabel() // it has started with those of whoever has ended the pool
					hook()
				})
			})
		}()
	}
}

func (p *Pool) terminate() {
	delay.At(delay.Terminating)
	p.mu.Lock()
	p.stage = terminated
	p.hookGoroutine = 0 // another goroutine may have its identity next
	p.lot.Close()
	p.mu.Unlock()
	close(p.done)
}
