package executor

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/series"
)

// Task is what a pool runs: a function. A [future.Task] is one together with its future.
type Task = func(ctx context.Context) error

// Pool runs tasks on a bounded number of reused workers: it is java.util.concurrent's
// ThreadPoolExecutor, and what a [ScheduledPool] has in common with it. A Pool is made by [NewPool],
// is safe for concurrent use, and must not be copied.
//
// # Growth
//
// A submission calls an idle worker, or starts one while there are fewer than the core size, or else
// waits in the queue; when the queue holds more than its capacity, workers start up to the maximum
// size; and what would be too much even so is refused, which is up to the [RejectionPolicy]. A
// worker takes what has waited longest, so even a worker that is started for a late task lets nobody
// be overtaken. With [GrowFirst] workers start up to the maximum before anything waits. Idle workers
// above the core size end after the keep-alive. Unlike the JDK, a plain pool does not start a worker while
// another is idle.
//
// # Overview
//
// A task goes one road: accept puts it into the queue, a worker takes it out when it is due, runs
// it, and settles its future or queues its next run. One lock guards all of that, but for the front
// of an inbox and the claims from a batch, which make tiny tasks cheap; see package runqueue. The lock is never held
// while waiting, or while user code runs: bodies, hooks, handlers, policies and options run without
// it, and so does the settling of a future, which may call those who wait. The one exception is a
// [WorkQueue] of the user's own, which is a part of the pool.
//
// Lock order: the pool's lock, then that of its inbox or that of a cell's extension, which are
// leaves.
type Pool struct {
	settings
	clock     clock.Clock
	plain     bool            // the queue knows no times: what is in it is due
	custom    *ordered        // the queue, if it is the user's own
	inbox     *runqueue.Inbox // the queue, if it has a front of its own for submissions
	watched   atomic.Bool     // somebody wants to know when bare tasks have started
	timed     atomic.Bool     // there may be tasks that go by their time; the lock guards writing
	submitted *plan           // of every task that has a future and no options
	executed  *plan           // of every task given to Execute

	runs    run.Owner // what it has in common with a loop
	runners runners   // which goroutines run its tasks

	closing  context.Context    // ends when the pool is shut down
	announce context.CancelFunc // ends it; what that calls runs on goroutines of its own

	order atomic.Uint64 // sequence number of the last task queued by place; the lock guards writing

	_ [64]byte // keeps what every run writes out of the cache lines above

	mu sync.Mutex // guards the fields below

	// What every run touches comes first, in few cache lines.
	stage             stage
	core              int
	counts            counts
	queue             runqueue.Queue
	batch             *runqueue.Batch // of the tasks that come before those of the queue; may be nil
	spare             *runqueue.Batch // to be filled next time; may be nil
	lot               *parking.Lot    // idle workers
	workers           map[*worker]struct{}
	blockedSubmitters blockedSubmitters // submitters who wait for room

	hookGoroutine uint64 // the goroutine of the terminated hook
	done          chan struct{}

	extraRuns extraRuns                       // runs on other goroutines
	waits     awaits                          // runs that wait for other tasks of the pool
	strands   shrinkingMap[*strand, struct{}] // serial executors with tasks that wait for their turn
	heldBack  int                             // accepted tasks that wait outside of the queue
}

// NewPool returns a pool of core workers and an unbounded queue, first in, first out. Options change
// that: [MaximumSize] and [KeepAlive] let it grow, [BoundedFIFO], [HandOff], [PriorityFIFO] and
// [CustomQueue] are other queues. Without MaximumSize the maximum is the core size, whatever that is
// set to later; a pool of core size 0 has one worker while there is something to do. It starts no
// goroutine, and panics on a negative core size, a core size above the maximum, and a bad option.
// Close the pool when it is of no use any more.
func NewPool(core int, opts ...Option) *Pool {
	p := new(Pool)
	p.plain = true
	p.init(core, opts)
	return p
}

// init gives p its queue and all else that it needs.
func (p *Pool) init(core int, opts []Option) {
	p.settings.init(core, p.plain, opts)
	p.clock = clock.New(1) // above 0, which Started shows for a task that has not begun
	p.runs = run.Owner{
		Reporter:    run.Reporter{Settings: p.shared, Kind: "pool"},
		Host:        (*host)(p),
		Lock:        &p.mu,
		Clock:       p.clock,
		Unnamed:     run.Labelled(p.shared.Base, p.shared.Name, ""),
		ErrShutdown: ErrShutdown,
		Counts:      &p.counts.Counts,
		Settled:     p.settled,
	}
	p.submitted = p.newPlan(series.Options{})
	p.executed = p.newPlan(series.Options{})
	p.executed.Reports = true
	p.watched.Store(p.runs.OnError != nil)
	p.queue = p.newQueue()
	p.lot = parking.New(&p.mu, p.clock)
	p.closing, p.announce = context.WithCancel(context.Background())
	p.done = make(chan struct{})
	p.core = core
	p.workers = make(map[*worker]struct{})
}

// newQueue makes the queue that the options tell. With a limit to what may wait in all there is no inbox
// for submissions, as it does not know of the rest.
func (p *Pool) newQueue() runqueue.Queue {
	var order *atomic.Uint64
	if !p.plain {
		order = &p.order
	}
	front := runqueue.NewInbox(p.executed.Cells(), order)
	if p.pendingLimit == 0 && (!p.plain || p.waitsIn.simple()) {
		p.inbox = front
	}
	if !p.plain {
		return runqueue.NewDelayed(front)
	}
	if p.inbox != nil {
		return p.inbox
	}
	q := &ordered{queue: p.waitsIn.New()}
	if p.waitsIn.custom {
		q.held = map[*cell.Cell]struct{}{}
		p.custom = q
	}
	return q
}
