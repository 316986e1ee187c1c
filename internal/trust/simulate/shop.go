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

// shop is a world with an executor: a pool, a scheduled pool, or an event loop.
type shop struct {
	*world
	exec  crew
	table timetable      // nil for a plain pool
	pool  *executor.Pool // nil for a loop
	stats func() counts
	loop  *eventloop.Loop // nil for a pool

	tasks []*task
	room  []task // to make them of
	slow  int    // bodies take less than so many steps; never more than half of them any time
	pause int    // the driver sleeps less than so many steps

	fixed      bool // the sizes do not change
	asking     bool // tasks to run once ask which run they are in
	sorted     bool // tasks begin in order, unless they are helped
	single     bool // there is one worker, ever
	ranked     bool // tasks begin by their priorities
	limited    bool // there may be no room
	most       int  // workers there may be
	capacity   int  // of the queue; below 0 it has no bounds
	tight      bool // that is the pending limit
	discards   bool // tasks may be dropped for want of room
	callerRuns bool
	noExits    bool // no body may end the goroutine it is on

	// The lock guards these.
	allowed   int // bodies at once
	guests    int // submitters, who may run bodies themselves
	helping   int // bodies that wait for others
	overdrawn int // helpers that are too many, as the wait for them is over
	pendings  int // tasks in the queue
	zombies   int // bodies of tasks that are settled
	accepted  int64
	lastEnd   int64 // stamp of the end of a body
	changed   time.Duration

	roomy        time.Duration // up to here time has passed while there was room
	calm         int64         // the stamp of a moment at which nothing could run
	closing      bool          // it has been told to end, or is being told
	closedAt     time.Duration
	listedFrom   time.Duration // a list of what is dropped has been begun then, 0 if none has
	unlisted     bool          // it was told to end in a way that makes no list
	stopped      bool          // by ShutdownNow
	mayStop      bool          // likewise, or about to be
	dropDelayed  bool
	keepPeriodic bool
	quieting     bool // it takes tasks though it is closing

	before, after atomic.Int64 // calls of the hooks
	hooked        bool
	base          context.CancelFunc // of the base context
	baseEnded     bool
}

// crew is what all executors can do.
type crew interface {
	Execute(executor.Task) error
	Submit(executor.Task, ...executor.TaskOption) (*future.Future[struct{}], error)
	Shutdown()
	ShutdownNow() []executor.Pending
	Close() error
	CloseContext(context.Context) (executor.Report, error)
	AwaitTermination(context.Context) error
	Terminated() <-chan struct{}
}

// timetable is what those can do that know times.
type timetable interface {
	Schedule(time.Duration, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	ScheduleAt(time.Time, executor.Task, ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	AtFixedRate(initial, period time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
	WithFixedDelay(initial, delay time.Duration, task executor.Task, opts ...executor.TaskOption) (*executor.ScheduledFuture[struct{}], error)
}

// counts are the statistics of any executor.
type counts struct {
	busy, queued                                   int
	accepted, completed, cancelled, returned, runs uint64
}

// pass shadows that of the gauge: here, there may be room, too, while time passes.
func (s *shop) pass() time.Duration {
	last, asleep := s.last, s.asleep
	now := s.gauge.pass()
	if now > last && asleep == 0 && s.hasRoom() {
		s.roomy = now
	}
	return now
}

// hasRoom reports whether there is room in the queue, or a worker that is not busy, for certain.
func (s *shop) hasRoom() bool {
	switch {
	case s.tight:
		return s.pendings < s.capacity
	default:
		return s.running < s.most || s.pendings < s.capacity
	}
}

// meddle is what a body does in the middle.
func (s *shop) meddle(k *task, ctx context.Context) {
	switch k.inner {
	case submitsChild:
		if s.loop != nil && k.id%2 == 0 {
			if turn, ok := s.loop.Turn(ctx); ok {
				k.child.turn = &turn
			}
		}
		s.offer(k.child)
	case awaitsChild:
		if !s.offer(k.child) {
			return
		}
		s.mu.Lock()
		s.helping++
		s.mu.Unlock()
		_, err := k.child.future.Get(ctx)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.pass()
		if k.child.ended {
			s.helping--
		} else { // its helper is one too many until it ends
			k.child.lent = true
			s.overdrawn++
		}
		if errors.Is(err, future.ErrSelfWait) != (s.loop != nil) {
			s.fault(&s.report.Stuck, "task %v waits for its child: %v", k, err)
		}
	case cancelsItself:
		s.cancel(k, 0)
	case waitsAlone:
		if !s.knows(k) {
			return
		}
		if _, err := k.future.Get(ctx); !errors.Is(err, future.ErrSelfWait) && !k.future.State().Settled() {
			s.blame(&s.report.Stuck, "task %v waits for itself: %v", k, err)
		}
		if err := s.exec.AwaitTermination(ctx); !errors.Is(err, future.ErrSelfWait) {
			s.blame(&s.report.Stuck, "task %v waits for the end of its executor: %v", k, err)
		}
	case stops:
		s.shut(false, s.exec.Shutdown)
	case stopsNow:
		s.shut(true, func() { s.handBack(s.exec.ShutdownNow()) })
	}
}

// heedsNow notes that k, which has done something else before, looks at its context from now on.
func (s *shop) heedsNow(k *task) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k.heedsFrom = s.pass()
}

// rest waits until nothing can run, and looks whether the executor is of the same opinion as its tasks.
func (s *shop) rest() {
	synctest.Wait()
	s.mu.Lock()
	s.pass()
	asleep := s.asleep
	s.mu.Unlock()
	if asleep > 0 {
		return
	}
	c := s.stats()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = max(s.most, s.running)
	s.calm = s.stamp
	queued, dropped := s.pendings, 0
	if s.discards {
		dropped = int(c.returned)
		queued -= dropped
	}
	sum := c.completed + c.cancelled + c.returned + uint64(c.queued+c.busy)
	switch {
	case int64(c.accepted) != s.accepted:
		s.fault(&s.report.Lost, "at rest %d tasks have been accepted, and %d are counted", s.accepted, c.accepted)
	case c.queued != queued:
		s.fault(&s.report.Lost, "at rest %d tasks wait, and %d are counted", queued, c.queued)
	case c.busy != s.running:
		s.fault(&s.report.Lost, "at rest %d tasks run, and %d are counted", s.running, c.busy)
	case s.capacity >= 0 && c.queued > s.capacity+s.overdrawn && !s.callerRuns:
		// One that has come for a free worker waits if that place is taken by a body too many.
		s.fault(&s.report.Lost, "at rest %d tasks wait, where at most %d may", c.queued, s.capacity+s.overdrawn)
	case sum != c.accepted+uint64(s.zombies):
		s.fault(&s.report.Lost, "at rest the counts do not add up: %+v, %d zombies", c, s.zombies)
	}
}
