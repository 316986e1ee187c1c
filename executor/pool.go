package executor

import (
	"context"

	"github.com/punctual-go/punctual/executor/internal/engine"
)

// Task is what a pool runs: a function. A [future.Task] is such a function together with its
// future.
type Task = func(ctx context.Context) error

// Pool runs tasks on a bounded number of reused workers. It is modelled on java.util.concurrent's
// ThreadPoolExecutor. Make one with [NewPool]; the zero Pool is of no use. A Pool is safe for
// concurrent use and must not be copied. A [ScheduledPool] is a Pool that also runs tasks at their
// times; a pool without that is called plain.
//
// # Growth
//
// A submission wakes an idle worker if there is one. If not, and there are fewer workers than the
// core size, it starts one. Otherwise the task waits in the queue. Once the queue holds more than
// its capacity, workers are started up to the maximum size. A task that is too much even then is up
// to the [rejection.Policy]. Workers take the task that has waited longest, so a worker started for
// a late task lets nobody be overtaken.
//
// With [GrowFirst], workers are started up to the maximum size before any task waits. Idle workers
// above the core size end after the keep-alive. Unlike the JDK, a plain pool does not start a
// worker while another is idle.
//
// # Locking
//
// A pool never holds a lock while it waits, or while it runs code of its user: tasks, hooks,
// handlers, policies and options. The one exception is a [queue.WorkQueue], which is part of the
// pool.
type Pool engine.Pool

// engine returns the pool behind the door. The two are one type under two names: this package says
// what a pool promises, and package engine keeps it.
func (p *Pool) engine() *engine.Pool { return (*engine.Pool)(p) }

// NewPool returns a pool of core workers and an unbounded FIFO queue. [MaximumSize] and [KeepAlive]
// let it grow; [Queue] replaces the queue. Without MaximumSize the maximum size equals the core
// size, even after [Pool.SetCoreSize]. A pool of core size 0 has one worker while there is
// something to do.
//
// NewPool starts no goroutine. Close the pool when it is no longer needed. NewPool panics on a
// negative core size, a core size above the maximum, and a bad option.
func NewPool(core int, opts ...Option) *Pool {
	p := new(Pool)
	p.init(core, true, opts)
	return p
}

// init gives p its settings.
func (p *Pool) init(core int, plain bool, opts []Option) {
	p.engine().Init(core, plain, *settingsOf(core, plain, opts))
}
