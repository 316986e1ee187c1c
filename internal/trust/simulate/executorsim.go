package simulate

import (
	"context"
	"errors"
	"sync/atomic"
	"testing/synctest"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// executorSim simulates an executor: a pool, a scheduled pool, or an event loop.
type executorSim struct {
	*simulation
	executor  executorAPI
	scheduler schedulerAPI   // nil for a plain pool
	pool      *executor.Pool // nil for a loop
	stats     func() counts
	loop      *eventloop.Loop // nil for a pool

	tasks    []*task
	arena    []task // to make them of
	maxWork  int    // bodies take less than so many steps; never more than half of them any time
	maxPause int    // the driver sleeps less than so many steps

	fixedSize    bool // the sizes do not change
	asksRuns     bool // tasks to run once ask which run they are in
	ordered      bool // tasks begin in order, unless they are helped
	singleWorker bool // there is one worker, ever
	byPriority   bool // tasks begin by their priorities
	bounded      bool // there may be no room
	maxWorkers   int  // workers there may be
	capacity     int  // of the queue; below 0 it has no bounds
	pendingLimit bool // that is the pending limit
	discards     bool // tasks may be dropped for want of room
	callerRuns   bool
	noExits      bool // no body may end the goroutine it is on

	// The lock guards these.
	maxBodies       int // at once
	callers         int // submitters, who may run bodies themselves
	helpWaits       int // bodies that wait for others
	orphanedHelpers int // helpers that go on though the waits for them are over
	queued          int // tasks in the queue
	settledBodies   int // bodies of tasks that are settled
	accepted        int64
	lastEnd         int64 // stamp of the end of a body
	lastProgress    time.Duration

	roomUntil      time.Duration // up to here time has passed while there was room
	quiescentStamp int64         // the stamp of a moment at which nothing could run
	closing        bool          // it has been told to end, or is being told
	closedAt       time.Duration
	dropListFrom   time.Duration // a list of what is dropped has been begun then, 0 if none has
	dropsUnlisted  bool          // it was told to end in a way that makes no list
	stopped        bool          // by ShutdownNow
	mayInterrupt   bool          // likewise, or about to be
	dropDelayed    bool
	keepPeriodic   bool
	acceptsClosing bool // it takes tasks though it is closing

	watcher       *watcher     // nil if nobody observes
	before, after atomic.Int64 // calls of the hooks
	hooked        bool
	cancelBase    context.CancelFunc // of the base context
	baseEnded     bool
}

// executorAPI is what all executors can do.
type executorAPI interface {
	Execute(executor.Task, ...executor.TaskOption) error
	Submit(executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)
	Shutdown()
	ShutdownNow() []executor.Pending
	Close() error
	CloseContext(context.Context) (executor.Report, error)
	AwaitTermination(context.Context) error
	Terminated() <-chan struct{}
}

// schedulerAPI is what executors that know times can do.
type schedulerAPI interface {
	Schedule(time.Duration, executor.Task,
		...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	ScheduleAt(time.Time, executor.Task,
		...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	Every(period time.Duration, task executor.Task,
		opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task,
		opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	WithFixedDelay(initial, delay time.Duration, task executor.Task,
		opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
}

// counts are the statistics of any executor.
type counts struct {
	busy, queued                                   int
	accepted, completed, cancelled, returned, runs uint64
}

// advanceLocked shadows that of the timeline, and notes also whether there was room meanwhile.
func (es *executorSim) advanceLocked() time.Duration {
	last, heldUp := es.lastChange, es.heldUp
	now := es.timeline.advanceLocked()
	if now > last && heldUp == 0 && es.hasRoomLocked() {
		es.roomUntil = now
	}
	return now
}

// hasRoomLocked reports whether there is room in the queue, or a worker that is not busy, for
// certain.
func (es *executorSim) hasRoomLocked() bool {
	switch {
	case es.pendingLimit:
		return es.queued < es.capacity
	default:
		return es.running < es.maxWorkers || es.queued < es.capacity
	}
}

// perform does what a body does beside taking its time.
func (es *executorSim) perform(t *task, ctx context.Context) {
	switch t.action {
	case submitsChild:
		if es.loop != nil && t.id%2 == 0 {
			if turn, ok := es.loop.Turn(ctx); ok {
				t.child.turn = &turn
			}
		}
		es.submit(t.child)
	case awaitsChild:
		if !es.submit(t.child) {
			return
		}
		es.mu.Lock()
		es.helpWaits++
		es.mu.Unlock()
		_, err := t.child.future.Get(ctx)
		es.mu.Lock()
		defer es.mu.Unlock()
		es.advanceLocked()
		if t.child.ended {
			es.helpWaits--
		} else { // its helper is one too many until it ends
			t.child.helperOrphaned = true
			es.orphanedHelpers++
		}
		if errors.Is(err, future.ErrSelfWait) != (es.loop != nil) {
			es.faultLocked(&es.report.Stuck, "task %v waits for its child: %v", t, err)
		}
	case cancelsItself:
		es.cancel(t, 0)
	case awaitsItself:
		if !es.hasFuture(t) {
			return
		}
		if _, err := t.future.Get(ctx); !errors.Is(err, future.ErrSelfWait) &&
			!t.future.State().Settled() {
			es.fault(&es.report.Stuck, "task %v waits for itself: %v", t, err)
		}
		if err := es.executor.AwaitTermination(ctx); !errors.Is(err, future.ErrSelfWait) {
			es.fault(&es.report.Stuck, "task %v waits for the end of its executor: %v", t, err)
		}
	case shutsDown:
		es.shutDown(false, es.executor.Shutdown)
	case shutsDownNow:
		es.shutDown(true, func() { es.returnAll(es.executor.ShutdownNow()) })
	}
}

// noteHeeding notes that t, which has done something else before, looks at its context from now on.
func (es *executorSim) noteHeeding(t *task) {
	es.mu.Lock()
	defer es.mu.Unlock()
	t.heedsFrom = es.advanceLocked()
}

// quiesce waits until nothing can run, and checks that the statistics of the executor agree with
// what is known of its tasks.
func (es *executorSim) quiesce() {
	synctest.Wait()
	es.mu.Lock()
	es.advanceLocked()
	heldUp := es.heldUp
	es.mu.Unlock()
	if heldUp > 0 {
		return
	}
	c := es.stats()
	es.mu.Lock()
	defer es.mu.Unlock()
	es.maxBodies = max(es.maxWorkers, es.running)
	es.quiescentStamp = es.stamp
	queued, dropped := es.queued, 0
	if es.discards {
		dropped = int(c.returned)
		queued -= dropped
	}
	sum := c.completed + c.cancelled + c.returned + uint64(c.queued+c.busy)
	switch {
	case int64(c.accepted) != es.accepted:
		es.faultLocked(&es.report.Lost, "at rest %d tasks have been accepted, and %d are counted",
			es.accepted, c.accepted)
	case c.queued != queued:
		es.faultLocked(&es.report.Lost, "at rest %d tasks wait, and %d are counted",
			queued, c.queued)
	case c.busy != es.running:
		es.faultLocked(&es.report.Lost, "at rest %d tasks run, and %d are counted",
			es.running, c.busy)
	case es.capacity >= 0 && c.queued > es.capacity+es.orphanedHelpers && !es.callerRuns:
		// A task accepted for a free worker waits if a leftover helper has taken its place.
		es.faultLocked(&es.report.Lost, "at rest %d tasks wait, where at most %d may", c.queued,
			es.capacity+es.orphanedHelpers)
	case sum != c.accepted+uint64(es.settledBodies):
		es.faultLocked(&es.report.Lost, "at rest the counts do not add up: %+v, %d settled bodies",
			c, es.settledBodies)
	}
}
