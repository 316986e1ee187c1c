package engine

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

// String returns the stage as Stats shows it.
func (s stage) String() string {
	return [...]string{StateRunning, "shutting down", "stopping", "tidying", "terminated"}[s]
}

// Shutdown refuses further tasks, and drops what the policies do not keep.
func (p *Pool) Shutdown() {
	p.mu.Lock()
	p.drainLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	p.settle(swept)
}

// ShutdownNow drops all that waits, and interrupts what runs. It returns both, as of one moment.
func (p *Pool) ShutdownNow() (report Report) {
	p.mu.Lock()
	p.drainLocked()
	p.stage = max(p.stage, stopping)
	var active []*cell.Cell
	for x := range p.crew.executionsLocked() {
		if x.Task != nil {
			active = append(active, x.Task)
		}
	}
	report.Running = p.runningLocked()
	series := p.handBackRunsLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	report.Dropped = Joined(p.settle(swept, active...), series)
	return report
}

// CloseContext drops what is not due, and waits for the rest until ctx ends; then it does what
// ShutdownNow does. It tells apart what was dropped at once, and the rest, which did not end.
func (p *Pool) CloseContext(ctx context.Context) (dropped []Pending, rest Report, err error) {
	p.mu.Lock()
	p.drainLocked()
	p.executeDelayed.Store(false)
	p.continuePeriodic.Store(false)
	series := p.handBackRunsLocked()
	swept := p.sweepLocked()
	p.mu.Unlock()
	dropped = Joined(p.settle(swept), series)
	err = p.AwaitTermination(ctx)
	switch {
	case err == nil:
	// The caller is among them, and goes on after this: nothing is interrupted.
	case cell.Matches(err, future.ErrSelfWait):
		rest.Running = p.Running()
	default:
		rest = p.ShutdownNow()
	}
	return dropped, rest, err
}

// AwaitTermination waits until the pool has ended, or until ctx does. A caller that the pool
// outlives gets [future.ErrSelfWait].
func (p *Pool) AwaitTermination(ctx context.Context) error {
	return run.Await(ctx, p.done, p.Outlives)
}

// Terminated returns a channel that is closed at the end of the pool.
func (p *Pool) Terminated() <-chan struct{} { return p.done }

// drainLocked makes the pool refuse further tasks, those in progress at the inbox included.
func (p *Pool) drainLocked() {
	if p.stage != running {
		return
	}
	p.stage = draining
	p.runs.EndShortageLocked()
	if p.waiting.inbox != nil {
		p.waiting.inbox.Close()
	}
	p.announce() // starts the functions of AfterShutdown, on other goroutines: tasks are refused
	p.blockedSubmitters.refuseAllLocked(p)
	p.crew.resumeLocked() // a worker may have to be started for what waits
	p.crew.lot.CallAll()
}

// Outlives reports whether the pool cannot end before the caller does, who would wait for itself: a
// task of the pool, a callback that is told of a task which has ended without a run, the
// AfterTermination hook, the Writer of a recording. These are known by their goroutines. It is true
// also if ctx itself ends only with a run of the pool.
func (p *Pool) Outlives(ctx context.Context) bool {
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
		swept := p.waiting.emptyLocked()
		p.vacateLocked(swept)
		return swept
	}
	now := p.clock.Now()
	keep := func(c *cell.Cell) bool { return p.mayStayLocked(c, now) }
	swept := p.waiting.takeDeferredLocked(keep)
	if !p.plain { // all that is in the queue of a plain pool is due
		swept = merge(p.waiting.inOrderLocked(p.waiting.queue.Filter(keep)), swept)
	}
	return p.advancedPastLocked(swept)
}

// emptyLocked takes out everything that waits, and returns it in the order of its times. The batch
// comes first: its tasks have left the queue.
func (ws *waiting) emptyLocked() []*cell.Cell {
	ws.recallLocked()
	none := func(*cell.Cell) bool { return false }
	waiting := merge(ws.inOrderLocked(ws.queue.Filter(none)), ws.takeHeldBackLocked())
	return merge(waiting, ws.takeDeferredLocked(none))
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
	if len(p.crew.workers) > 0 {
		p.crew.lot.CallAll()
	}
	if len(p.crew.workers)+len(p.loans.extraRuns) > 0 {
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
	case p.AtEnd == nil && !p.runs.Recorded:
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
			p.AtEnd.Each(func(hook func()) {
				p.guard("terminated", run.Info{}, func() {
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
	p.crew.lot.Close()
	p.runs.UnwatchLocked()
	p.runs.EndHealthLocked()
	p.mu.Unlock()
	p.runs.CloseRecording()
}

// Closing returns a context that ends when the pool is shut down.
func (p *Pool) Closing() context.Context { return p.closing }

// AfterShutdown has f called once the pool is shut down, on a goroutine of its own.
func (p *Pool) AfterShutdown(f func()) (stop func() bool) {
	return run.After(p.closing, func() {
		p.unlabel() // a new goroutine has the labels of the one that started it
		f()
	}, func(err error) { p.runs.HookFailed(run.Info{}, "after-shutdown", err) })
}
