package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/executor/internal/runqueue"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/parking"
)

// Door is the one way into a pool: the plans of what comes, the names that are taken, and those who
// wait for room.
//
// The pool's lock guards names and blocked submitters. The plans that are shared do not change.
type Door struct {
	pool      *Pool
	special   bool        // tasks without options have decorators, or defaults
	bounded   bool        // a task may find no room
	timed     atomic.Bool // there may be tasks with a time; written with the lock held
	submitted *plan       // shared by the tasks that have a future and no options
	executed  *plan       // shared by the tasks without a future and options
	named     namedPlans  // shared by the tasks of which nothing is known but their names

	blockedSubmitters blockedSubmitters // wait for room
	names             names             // of live tasks that have theirs alone
}

// Crew is the workers of a pool: how many there may be, which there are, who of them is idle, and
// whether they take anything. The pool's lock guards it.
type Crew struct {
	pool    *Pool
	core    int // the size set
	maximum int // 0: the same as the core size
	workers map[*worker]struct{}
	lot     *parking.Lot // idle workers
	slack   int64        // how late a run may be to share a wake-up; does not change
	urgent  int64        // what was due by then must not wait for slack

	pause     pause
	unstarted unstarted
}

// Life is a pool from its making to its end, and what a shutdown makes of tasks. The pool's lock
// guards the stage.
type Life struct {
	pool     *Pool
	stage    stage              // see the type for its transitions
	closing  context.Context    // ends when the pool is shut down
	announce context.CancelFunc // ends closing; what that calls runs on other goroutines
	done     chan struct{}      // closed at the end
}

// Views are what is told of a pool from outside: figures, and which tasks there are.
type Views struct {
	pool  *Pool
	asked int64 // when somebody has last asked for runs in progress; guarded by the pool's lock
}

// loans are the runs of a pool on goroutines that are not workers, and the waits that lend their
// places to them. The pool's lock guards them.
type loans struct {
	pool      *Pool
	extraRuns extraRuns // runs on goroutines that are not workers
	waits     awaits    // runs that wait for other tasks of the pool
}

// waiting is where the accepted tasks of a pool wait: all of it, wherever that is.
//
//	inbox, queue   for a worker, or for a time; what is first in it may begin first
//	shards         for a time, and nothing else is asked for; a part of the queue
//	batch          small tasks that have left the inbox, and are claimed without the lock
//	deferred       for a time, in a plain pool, whose queue knows none
//	strands        behind another task of a serial executor
//
// The pool's lock guards it, but for the submitters' side of the inbox, the shards, which have
// locks of their own, and the claims of a batch.
type waiting struct {
	pool     *Pool
	wake     func()             // called when the time of a deferred task has come; the lock is held
	inbox    *runqueue.Inbox    // the queue's front for submissions, or nil; see newQueue
	shards   *runqueue.Shards   // the queue's front for what has a time, or nil
	delayed  *runqueue.Delayed  // the queue of a scheduled pool; else nil
	custom   Custom             // the queue, if the user supplied it
	sequence *runqueue.Sequence // of the tasks in the queue

	_ [64]byte // keeps what every run writes out of the cache lines above

	queue    runqueue.Queue
	batch    *runqueue.Batch                 // claimed before anything in the queue; may be nil
	spare    *runqueue.Batch                 // the next batch to fill; may be nil
	strands  shrinkingMap[*strand, struct{}] // serial executors with tasks behind the first
	deferred deferred                        // tasks of a plain pool that wait for a time
	heldBack int                             // accepted tasks outside the queue; see heldback.go
}

// pause is whether a pool is paused. Its lock guards it.
//
//	running -> paused   Pause, PauseUntil
//	paused  -> paused   either of them, once more: the later call counts
//	paused  -> running  Resume; the time has come; any shutdown
type pause struct {
	on    bool
	timer *time.Timer // ends the pause; nil if only a call does
	// Of the pause that timer ends: one that comes too late must not end another.
	number uint64
	over   int64 // when the last one ended, or 0
}

// unstarted is since when a task is known to wait for runs of which nobody knows when they began.
// The pool's lock guards it.
type unstarted struct {
	noticed int64  // 0 if none is known to wait
	ended   uint64 // bodies that had ended then
}

// Rejection is a task for which a pool has no room, in the hands of a policy. Package rejection says
// what its methods promise.
type Rejection struct {
	pool *Pool
	cell *cell.Cell
	ctx  context.Context // of the submission

	decided bool // the task is accepted, or dropped
}

// Lane is a serial executor: a strand with the plans of its tasks that have no options.
type Lane struct {
	strand
	submitted, executed *plan
}

// strand makes tasks of a pool run one after another. One of them, the head, is in the queue or
// runs; the others wait behind it, in order. The pool's lock guards it.
//
//	idle    -> queued    enqueueLocked: the first task becomes the head
//	queued  -> running   a worker or a helper takes it
//	queued  -> queued    advanceLocked: the head was cancelled, and another waits
//	running -> queued    advanceLocked: the head has ended, and another waits
//	queued  -> idle      advanceLocked, vacateLocked: none waits
//	running -> idle      advanceLocked: none waits
type strand struct {
	head    *cell.Cell // in the queue or running; nil when idle
	waiting runqueue.FIFO
	users   int      // submissions in progress, which keep it from being forgotten
	awaits  []*await // waits for tasks of the strand, to be helped when it advances
	pace    *Pace    // nil if there is none
	gap     int64    // between two of its tasks
	ended   int64    // when the last body ended, if somebody wants to know; attempts count
	forget  func()   // removes it from its serial.Keyed; nil for a serial.Serial
}

// counts are the counters of a pool. Its lock guards them. What workers have claimed from a batch
// is not in them until the worker leaves the batch.
type counts struct {
	busy                                    int
	run.Counts                              // of runs, and of tasks that have ended by them
	accepted, rejected, cancelled, returned uint64
	largest                                 int
}

// names are the unique tasks of a pool by name. Its lock guards them.
//
//	free  -> taken  take: the task is accepted, or waits for room
//	taken -> free   leaveLocked: it has left the pool
//	taken -> taken  leaveLocked: by its heir, which has been waiting for that, see Apply
//
// A task that was cancelled during a run keeps its name until the body has returned.
type names struct {
	live shrinkingMap[string, *cell.Cell]
}

// deferred are the tasks of a plain pool that may not begin yet, each with its timer: its queue
// knows no times. They count as queued, but take no room.
//
//	queued   -> deferred  deferLocked: it is reset to a later time, or put off by its lane
//	running  -> deferred  deferLocked: it is to be tried again
//	deferred -> queued    the time has come
//	deferred -> ended     it is cancelled, or the pool is shut down
type deferred map[*cell.Cell]*time.Timer // nil for a time that never comes

// Custom is a queue that the user supplied. The place of a task there is its own business, so it is
// asked which tasks it has.
type Custom interface {
	runqueue.Queue
	Holds(c *cell.Cell) bool
}
