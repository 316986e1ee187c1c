package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
)

// Shutdown makes the pool refuse further tasks and lets the accepted ones run as its policies say.
// A task that is due runs in any case, once its serial.Gap or [Pace] allows it. A later one runs at
// its time, unless [ScheduledPool.SetExecuteDelayedAfterShutdown] says otherwise. A periodic task
// ends, after its run if it is in one, unless [ScheduledPool.SetContinuePeriodicAfterShutdown] says
// otherwise. What will not run is cancelled before Shutdown returns.
//
// Shutdown does not wait and interrupts nothing. It may be called from a task. On a pool that is
// already shut down it does nothing.
func (p *Pool) Shutdown() { p.engine().Life.Shutdown() }

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
func (p *Pool) ShutdownNow() []Pending { return pendings(p.engine().Life.ShutdownNow().Dropped) }

// Close shuts the pool down, drops periodic tasks and those that are not yet due, and waits until
// the others have run and the workers have ended. A task is due from its own time on, and its next
// attempt, see [Retry], from when that is planned; what only waits for its turn, a serial.Gap or a
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
	dropped, rest, err := p.engine().Life.CloseContext(ctx)
	rest.Dropped = engine.Joined(dropped, rest.Dropped)
	return reportOf(rest), err
}

// AwaitTermination waits until the pool has been shut down and its last worker has ended, and
// returns nil; or until ctx ends, and returns its error. It does not shut the pool down. A nil ctx
// never ends. If it is called from a task of the same pool, which would wait for itself, it returns
// [future.ErrSelfWait] at once; likewise from a callback that the end of the pool waits for.
func (p *Pool) AwaitTermination(ctx context.Context) error {
	return p.engine().Life.AwaitTermination(ctx)
}

// Terminated returns a channel that is closed once the pool has been shut down, its last worker has
// ended, and the hooks of [AfterTermination] have returned.
func (p *Pool) Terminated() <-chan struct{} { return p.engine().Life.Terminated() }

// Drain drops everything that waits, and returns it in the order of its times; see [Pending]. The
// pool stays open: what is running goes on, and new tasks are accepted as before. The futures of
// the dropped tasks are settled with an error that matches both [future.ErrCancelled] and
// [ErrDrained], and the tasks count as returned.
//
// A series whose next run waits is dropped and ends. One that is in a run is not: it is running,
// and waits again after that. Submitters that wait for room get it. A task that is accepted during
// the call may or may not be dropped. Drain may be called from a task, and takes O(n log n) time,
// during O(n) of which the pool is locked.
func (p *Pool) Drain() []Pending { return pendings(p.engine().Life.Drain()) }

// AfterShutdown arranges for f to be called once the pool is shut down, by whatever method; if it
// already is, f is called now. By then the pool refuses tasks, but some that it has accepted may
// still be running: [Pool.Terminated] tells when the last has ended. f runs on a goroutine of its
// own, for which the pool does not wait, and may call the pool. If it panics, that is reported like
// the panic of a hook. AfterShutdown panics if f is nil.
//
// Calling stop withdraws f. It reports whether f will not be called because of that: false if f is
// about to be called, has been called, or was withdrawn before. The pool holds on to f until it is
// called or withdrawn.
func (p *Pool) AfterShutdown(f func()) (stop func() bool) {
	if f == nil {
		panic("executor: nil function")
	}
	return p.engine().Life.AfterShutdown(f)
}
