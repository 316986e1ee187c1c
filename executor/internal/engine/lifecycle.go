package engine

import (
	"context"

	"go.uber.org/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/delay"
)

// Shutdown refuses further tasks, and drops what the policies do not keep.
func (lf *Life) Shutdown() {
	lf.pool.mu.Lock()
	lf.drainLocked()
	swept := lf.sweepLocked()
	lf.pool.mu.Unlock()
	lf.settle(swept)
}

// ShutdownNow drops all that waits, and interrupts what runs. It returns both, as of one moment.
func (lf *Life) ShutdownNow() (report Report) {
	p := lf.pool
	p.mu.Lock()
	lf.drainLocked()
	lf.stage = max(lf.stage, stopping)
	var active []*cell.Cell
	for x := range p.Crew.executionsLocked() {
		if x.Task != nil {
			active = append(active, x.Task)
		}
	}
	report.Running = p.Views.runningLocked()
	series := lf.handBackRunsLocked()
	swept := lf.sweepLocked()
	p.mu.Unlock()
	report.Dropped = Joined(lf.settle(swept, active...), series)
	return report
}

// CloseContext drops what is not due, and waits for the rest until ctx ends; then it does what
// ShutdownNow does. It tells apart what was dropped at once, and the rest, which did not end.
func (lf *Life) CloseContext(ctx context.Context) (dropped []Pending, rest Report, err error) {
	p := lf.pool
	p.mu.Lock()
	lf.drainLocked()
	p.executeDelayed.Store(false)
	p.continuePeriodic.Store(false)
	series := lf.handBackRunsLocked()
	swept := lf.sweepLocked()
	p.mu.Unlock()
	dropped = Joined(lf.settle(swept), series)
	err = lf.AwaitTermination(ctx)
	switch {
	case err == nil:
	// The caller is among them, and goes on after this: nothing is interrupted.
	case cell.Matches(err, future.ErrSelfWait):
		rest.Running = p.Views.Running()
	default:
		rest = lf.ShutdownNow()
	}
	return dropped, rest, err
}

// AwaitTermination waits until the pool has ended, or until ctx does. A caller that the pool
// outlives gets [future.ErrSelfWait].
func (lf *Life) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, lf.done, lf.Outlives)
}

// Terminated returns a channel that is closed at the end of the pool.
func (lf *Life) Terminated() <-chan struct{} { return lf.done }

// drainLocked makes the pool refuse further tasks, those in progress at the inbox included.
func (lf *Life) drainLocked() {
	p := lf.pool
	if lf.stage != running {
		return
	}
	lf.stage = draining
	p.runs.EndShortageLocked()
	// The shards come first: what they do not take any more waits for the lock, and is refused after
	// all that the inbox still takes.
	if p.waiting.shards != nil {
		p.waiting.shards.Close()
		p.Crew.carefulLocked()
	}
	if p.waiting.inbox != nil {
		p.waiting.inbox.Close()
	}
	lf.announce() // starts the functions of AfterShutdown, on other goroutines: tasks are refused
	p.Door.blockedSubmitters.refuseAllLocked(p)
	p.Crew.resumeLocked() // a worker may have to be started for what waits
	p.Crew.lot.CallAll()
}

// Outlives reports whether the pool cannot end before the caller does, who would wait for itself: a
// task of the pool, a callback that is told of a task which has ended without a run, the
// AfterTermination hook, the Writer of a recording. These are known by their goroutines. It is true
// also if ctx itself ends only with a run of the pool.
func (lf *Life) Outlives(ctx context.Context) bool {
	return lf.pool.current() != nil || lf.pool.runs.Outlives(ctx)
}

// sweepLocked removes from the queue what the stage and the policies do not let run. The caller
// must pass the result to settle, after unlocking; the pool does not end before that.
func (lf *Life) sweepLocked() []*cell.Cell {
	p := lf.pool
	p.runs.SettlesLocked()
	if lf.stage == running {
		return nil // all tasks that there are may run
	}
	if lf.stage >= stopping {
		swept := p.waiting.emptyLocked()
		lf.vacateLocked(swept)
		return swept
	}
	now := p.clock.Now()
	keep := func(c *cell.Cell) bool { return lf.mayStayLocked(c, now) }
	swept := p.waiting.takeDeferredLocked(keep)
	if !p.plain { // all that is in the queue of a plain pool is due
		swept = merge(p.waiting.inOrderLocked(p.waiting.queue.Filter(keep)), swept)
	}
	for _, c := range swept {
		p.vacatedLocked(c) // others may wait behind it in its serial executor
	}
	return swept
}

// emptiedLocked checks whether the pool has come to its end. It is called after the queue has
// shrunk, a worker has gone, or settling is done. At the end it returns true, once: the caller then
// unlocks and calls finish. If there is nothing left to do but workers are idle, it calls them, so
// that they go.
func (lf *Life) emptiedLocked() (ended bool) {
	p := lf.pool
	if lf.stage == running || lf.stage >= tidying ||
		p.runs.SettlingLocked() > 0 || !lf.overLocked() {
		return false
	}
	// Idle workers may be parked until a time that will not come any more.
	if len(p.Crew.workers) > 0 {
		p.Crew.lot.CallAll()
	}
	if len(p.Crew.workers)+len(p.loans.extraRuns) > 0 {
		return false
	}
	lf.stage = tidying
	return true
}

// Settled is called when tasks have been settled, which the end of the pool may have waited for.
func (h *Host) Settled() {
	h.mu.Lock()
	ended := h.Life.emptiedLocked()
	h.mu.Unlock()
	h.Life.finish(ended)
}

// finish brings the pool to its end if emptiedLocked has said so. The hooks, and the Writer of a
// recording, get a goroutine of their own, so that they cannot hold up, or end, the goroutine of
// somebody who calls Shutdown.
func (lf *Life) finish(ended bool) {
	p := lf.pool
	switch {
	case !ended:
	case p.AtEnd == nil && !p.runs.Recorded:
		lf.terminate()
		close(lf.done)
	default:
		go func() {
			p.mu.Lock()
			p.runs.SettlesLocked()
			p.mu.Unlock()
			// Deferred, as each may end the goroutine.
			defer close(lf.done)
			defer p.runs.EndSettling()
			defer lf.terminate()
			p.AtEnd.Each(func(hook func()) {
				p.runs.Guard("terminated", run.Info{}, func() {
					p.unlabel() // a new goroutine has the labels of the one that started it
					hook()
				})
			})
		}()
	}
}

// terminate ends all but what the closing of done tells of. Only whoever moved the pool to tidying
// gets here, so that is closed once.
func (lf *Life) terminate() {
	p := lf.pool
	delay.At(delay.Terminating)
	p.mu.Lock()
	lf.stage = terminated
	p.Crew.lot.Close()
	p.runs.UnwatchLocked()
	p.runs.EndHealthLocked()
	p.mu.Unlock()
	p.runs.CloseRecording()
}

// Closing returns a context that ends when the pool is shut down.
func (lf *Life) Closing() context.Context { return lf.closing }

// AfterShutdown has f called once the pool is shut down, on a goroutine of its own.
func (lf *Life) AfterShutdown(f func()) (stop func() bool) {
	return run.After(lf.closing, func() {
		lf.pool.unlabel() // a new goroutine has the labels of the one that started it
		f()
	}, func(err error) { lf.pool.runs.HookFailed(run.Info{}, "after-shutdown", err) })
}

// SetExecuteDelayed sets whether what is not due at a shutdown runs at its time.
func (lf *Life) SetExecuteDelayed(on bool) { lf.keep(&lf.pool.executeDelayed, on) }

// SetContinuePeriodic sets whether periodic tasks go on after a shutdown.
func (lf *Life) SetContinuePeriodic(on bool) { lf.keep(&lf.pool.continuePeriodic, on) }

// keep sets what a shutdown keeps, and drops what is kept no more.
func (lf *Life) keep(kept *atomic.Bool, on bool) {
	lf.pool.mu.Lock()
	kept.Store(on)
	swept := lf.sweepLocked()
	lf.pool.mu.Unlock()
	lf.settle(swept)
}

// ExecuteDelayed and ContinuePeriodic return what was set.
func (lf *Life) ExecuteDelayed() bool   { return lf.pool.executeDelayed.Load() }
func (lf *Life) ContinuePeriodic() bool { return lf.pool.continuePeriodic.Load() }
