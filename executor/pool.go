package executor

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/executor/internal/sight"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
	"github.com/punctual-go/punctual/internal/series"
	"github.com/punctual-go/punctual/internal/wall"
)

// Task is what a pool runs: a function. A [future.Task] is such a function together with its
// future.
type Task = func(ctx context.Context) error

// Overview: a task takes one road. accept puts it into the queue; a worker takes it out once it is
// due, runs it, and settles its future or queues its next run. One lock guards that road. Two short
// cuts avoid the lock, because for tiny tasks it is most of the cost: submissions enter through the
// inbox, and workers claim bare tasks from a batch. Package runqueue has the figures.
//
// The settling of a future may call those who wait for it, so it happens without the lock as well.
//
// Lock order: the pool's lock, then the lock of its inbox or of a cell's extension. These two are
// leaves: nothing is locked while one of them is held.

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
// to the [RejectionPolicy]. Workers take the task that has waited longest, so a worker started for
// a late task lets nobody be overtaken.
//
// With [GrowFirst], workers are started up to the maximum size before any task waits. Idle workers
// above the core size end after the keep-alive. Unlike the JDK, a plain pool does not start a
// worker while another is idle.
//
// # Locking
//
// A pool never holds a lock while it waits, or while it runs code of its user: tasks, hooks,
// handlers, policies and options. The one exception is a [WorkQueue], which is part of the pool.
type Pool struct {
	settings
	clock     clock.Clock
	plain     bool            // the queue knows no times: all that is in it is due
	custom    *ordered        // the queue, if the user supplied it
	inbox     *runqueue.Inbox // the queue's front for submissions, or nil; see newQueue
	slack     int64           // how late a run may be to share a wake-up
	general   bool            // no short cut for tasks without options: observers, or defaults
	watched   atomic.Bool     // bare tasks are to record when they start
	timed     atomic.Bool     // there may be tasks with a time; written with the lock held
	submitted *plan           // shared by the tasks that have a future and no options
	executed  *plan           // shared by the tasks given to Execute

	runs    run.Owner // what pools and event loops have in common
	runners runners   // the goroutines that are running its tasks

	closing  context.Context    // ends when the pool is shut down
	announce context.CancelFunc // ends closing; what that calls runs on other goroutines

	order atomic.Uint64 // of the last task that placeLocked has queued; written with the lock held

	_ [64]byte // keeps what every run writes out of the cache lines above

	mu sync.Mutex // guards the fields below, and maximum among the settings

	// What every run touches comes first, in few cache lines.
	stage             stage // see the type for its transitions
	core              int
	counts            counts
	queue             runqueue.Queue
	batch             *runqueue.Batch // claimed before anything in the queue; may be nil
	spare             *runqueue.Batch // the next batch to fill; may be nil
	lot               *parking.Lot    // idle workers
	urgent            int64           // what was due by then must not wait for slack
	workers           map[*worker]struct{}
	blockedSubmitters blockedSubmitters // wait for room

	pause     pause
	unstarted unstarted
	asked     int64         // when somebody has last asked for runs in progress
	done      chan struct{} // closed at the end

	extraRuns extraRuns                       // runs on goroutines that are not workers
	waits     awaits                          // runs that wait for other tasks of the pool
	strands   shrinkingMap[*strand, struct{}] // serial executors with tasks behind the first
	deferred  deferred                        // tasks of a plain pool that wait for a time
	names     names                           // of live tasks that have theirs alone
	heldBack  int                             // accepted tasks outside the queue; see heldback.go
}

// NewPool returns a pool of core workers and an unbounded FIFO queue. [MaximumSize] and [KeepAlive]
// let it grow; [BoundedFIFO], [HandOff], [PriorityFIFO] and [CustomQueue] replace the queue.
// Without MaximumSize the maximum size equals the core size, even after [Pool.SetCoreSize]. A pool
// of core size 0 has one worker while there is something to do.
//
// NewPool starts no goroutine. Close the pool when it is no longer needed. NewPool panics on a
// negative core size, a core size above the maximum, and a bad option.
func NewPool(core int, opts ...Option) *Pool {
	p := new(Pool)
	p.plain = true
	p.init(core, opts)
	return p
}

// init gives p its settings, its queue and everything else that it needs.
func (p *Pool) init(core int, opts []Option) {
	p.settings.init(core, p.plain, opts)
	// Above 0: in Started that stands for a start which nobody has timed, see unread.
	p.clock = clock.New(1)
	p.runs = run.Owner{
		Reporter:    run.Reporter{Settings: p.shared, Kind: "pool"},
		Host:        (*host)(p),
		Lock:        &p.mu,
		Clock:       p.clock,
		Wall:        wall.New(),
		Unnamed:     run.Labelled(p.shared.Base, p.shared.Name, ""),
		ErrShutdown: ErrShutdown,
		Counts:      &p.counts.Counts,
		Settled:     p.settled,
		Requeue:     p.requeueLocked,
		MayRepeat:   p.mayRepeatLocked,
		SetAside:    p.setAsideLocked,
	}
	p.core = core
	p.runs.Size = p.sizeAsMade()
	sight.Open(&p.runs, (*crew)(p), p.before != nil || p.after != nil)
	p.general = p.runs.Observed || p.shared.Defaults != nil
	p.submitted = p.newPlan(series.Options{})
	p.executed = p.newPlan(series.Options{})
	p.executed.Reports = true
	p.submitted.twin, p.executed.twin = p.executed, p.executed
	p.watched.Store(p.runs.OnError != nil || p.runs.Watched)
	p.queue = p.newQueue()
	p.lot = parking.New(&p.mu, p.clock)
	p.lot.OnGuard(func() { p.notifyLocked(unread) })
	if !p.plain {
		p.slack = int64(p.shared.SlackOr(p.lot.Virtual()))
	}
	p.closing, p.announce = context.WithCancel(context.Background())
	p.done = make(chan struct{})
	p.workers = make(map[*worker]struct{})
}

// newQueue returns the queue that the options ask for. It also sets the inbox through which
// submissions reach the queue without the pool's lock. There is none under a [PendingLimit],
// because the inbox cannot see what waits elsewhere, nor for a plain pool whose queue is bounded or
// ordered.
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
		q := runqueue.NewDelayed(front)
		q.ReadyAt = p.readyAt
		return q
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
