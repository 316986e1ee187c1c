package executor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// Task is what a pool runs.
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
// above the core size end after the keep-alive. Unlike the JDK, a pool does not start a worker while
// another is idle.
//
// # Overview
//
// A task goes one road: accept puts it into the queue, a worker takes it out when it is due, runs
// it, and settles its future or queues its next run. One lock guards all of that, but for the front
// of an [inbox]. It is never held while waiting, or while user code runs: bodies, hooks, handlers,
// policies and options run without it, and so does the settling of a future, which may call those
// who wait. The one exception is a [WorkQueue] of the user's own, which is a part of the pool.
//
// Lock order: the pool's lock, then that of its inbox or that of a cell's extension, which are
// leaves.
type Pool struct {
	settings
	clock     clock.Clock
	plain     bool        // the queue knows no times: what is in it is due
	inbox     *inbox      // the queue, if it has a front of its own for submissions
	watched   atomic.Bool // somebody wants to know when bare tasks have started
	submitted *plan       // of every task that has a future and no options
	executed  *plan       // of every task given to Execute

	_ apart

	mu       sync.Mutex // guards the fields below
	queue    workQueue
	lot      *parking.Lot // idle workers
	order    uint64       // sequence number of the last task queued
	entrants entrants     // submitters who wait for room

	stage                     stage
	dropDelayed, keepPeriodic bool   // what Shutdown does to queued tasks
	settling                  int    // parties about to settle tasks of the pool, which outlives them
	tidier                    uint64 // the goroutine of the terminated hook
	done                      chan struct{}

	core    int
	workers map[*worker]struct{}
	guests  guests               // runs on other goroutines
	awaits  awaits               // runs that wait for other tasks of the pool
	strands map[*strand]struct{} // serial executors with tasks that wait for their turn
	aside   int                  // accepted tasks that wait outside of the queue
	counts  counts
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
	p.init(core, nil, opts)
	return p
}

// init makes p a pool whose tasks wait in q, or in the queue that the options tell.
func (p *Pool) init(core int, q workQueue, opts []Option) {
	p.settings = newSettings(core, p.plain, opts)
	p.clock = clock.New(1) // above 0, which Started shows for a task that has not begun
	p.submitted = p.newPlan(taskOptions{})
	p.executed = p.newPlan(taskOptions{})
	p.executed.reports = true
	p.watched.Store(p.onError != nil)
	if p.queue = q; q == nil {
		p.queue = p.newQueue()
	}
	p.lot = parking.New(&p.mu)
	p.done = make(chan struct{})
	p.core = core
	p.workers = make(map[*worker]struct{})
}

// newQueue makes the queue of a plain pool.
func (p *Pool) newQueue() workQueue {
	if p.waitsIn.simple() && p.pendingLimit == 0 {
		p.inbox = newInbox(&p.executed.Plan)
		return p.inbox
	}
	return &ordered{queue: p.waitsIn.New()}
}

// Execute queues task to run as soon as a worker is free, after the tasks that are due already.
// There is no future: a failure goes to the error handler. It returns [ErrNilTask], [ErrShutdown] or
// [ErrSaturated] for a task that will not run. On a pool of [NewPool] with its default queue and
// without run hooks it allocates nothing, unless the task asks its context for a signal.
func (p *Pool) Execute(task Task) error {
	body, err := p.bodyOf(task)
	if err != nil {
		return err
	}
	if p.inbox != nil && p.before == nil && p.after == nil {
		return p.post(entry{bare: body})
	}
	return p.accept(context.Background(), false, &cell.Cell{Plan: &p.executed.Plan, Body: body})
}

// Submit is Execute with a future for the outcome. It also returns [ErrInvalid] for a bad option.
func (p *Pool) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return submitTask(context.Background(), false, p, task, opts)
}

// SubmitContext is Submit that waits for room, whatever the rejection policy, until ctx ends. Then it
// returns an error that matches [ErrSaturated] and that of ctx; if ctx has ended before the call,
// [ErrRejected] and that of ctx. The context ends the wait, never the
// task. Submitters enter in the order in which they came. If the caller is itself a task of the pool,
// which could wait for itself, the task is run by its caller instead. A nil ctx never ends.
func (p *Pool) SubmitContext(ctx context.Context, task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return submitTask(ctx, true, p, task, opts)
}

func submitTask(ctx context.Context, wait bool, p Submitter, task Task, opts []TaskOption) (*future.Future[struct{}], error) {
	f := new(future.Future[struct{}])
	if err := p.submit(ctx, wait, future.CellOf(f), task, opts); err != nil {
		return nil, err
	}
	return f, nil
}

// Submitter is what typed tasks can be submitted to: [Pool], [ScheduledPool] and [Serial].
type Submitter interface {
	// submit queues the task of c. If there is no room it waits until ctx ends, if told so, or does
	// what the policy of the pool says.
	submit(ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption) error
	// base returns the pool that runs the tasks.
	base() *Pool
}

// Submit queues fn on p to run as soon as a worker is free and returns the future of its result.
// Errors are those of [Pool.Submit].
func Submit[V any](p Submitter, fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	return submit(context.Background(), false, p, fn, opts)
}

// SubmitContext is Submit that waits for room until ctx ends; see [Pool.SubmitContext].
func SubmitContext[V any](ctx context.Context, p Submitter, fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	return submit(ctx, true, p, fn, opts)
}

func submit[V any](ctx context.Context, wait bool, p Submitter, fn future.Func[V], opts []TaskOption) (*future.Future[V], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	f := new(future.Future[V])
	if err := p.submit(ctx, wait, future.CellOf(f), future.Bind(f, fn), opts); err != nil {
		return nil, err
	}
	return f, nil
}

func (p *Pool) base() *Pool { return p }

func (p *Pool) submit(ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption) error {
	if _, err := p.prepare(c, task, opts); err != nil {
		return err
	}
	return p.accept(ctx, wait, c)
}

// prepare validates a submission and gives c its body and plan.
func (p *Pool) prepare(c *cell.Cell, task Task, opts []TaskOption) (*plan, error) {
	if task == nil {
		return nil, ErrNilTask
	}
	pl := p.submitted
	if len(opts) > 0 {
		o, err := newTaskOptions(opts)
		if err != nil {
			return nil, err
		}
		pl = p.newPlan(o)
	}
	body, err := p.bodyOf(task)
	if err != nil {
		return nil, err
	}
	c.Plan, c.Body = &pl.Plan, body
	return pl, nil
}

// bodyOf returns what to run for task.
func (p *Pool) bodyOf(task Task) (Task, error) {
	if task != nil && p.decorate != nil {
		task = p.decorate(task)
	}
	if task == nil {
		return nil, ErrNilTask
	}
	return task, nil
}

func (p *Pool) newPlan(o taskOptions) *plan {
	pl := &plan{taskOptions: o}
	pl.Plan = cell.Plan{
		Host:    (*host)(p),
		Base:    p.labelled(o.name),
		Timeout: o.timeout,
		Late:    future.ErrTimeout,
		Dropped: errDropped,
		Detail:  pl,
	}
	return pl
}

// post queues e in the inbox, and has a worker come if none would look there by itself.
func (p *Pool) post(e entry) error {
	told, err := p.inbox.put(e)
	if told {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.notify(p.now())
	}
	return err
}

// accept queues c to run as soon as may be, or refuses it, or does with it what else can be done.
func (p *Pool) accept(ctx context.Context, wait bool, c *cell.Cell) error {
	if ctx == nil {
		ctx = context.Background()
	}
	if wait && ctx.Err() != nil {
		return p.refuse(fmt.Errorf("%w: %w", ErrRejected, cell.EndOf(ctx)))
	}
	if p.plain {
		c.When = p.clock.Now()
	}
	if p.inbox != nil && planOf(c).strand == nil {
		return p.post(entry{cell: c})
	}
	policy, err := p.tryAccept(c)
	if err == ErrSaturated {
		if wait {
			err = p.enter(ctx, c)
		} else {
			err = p.reject(ctx, policy, c)
		}
	}
	if err != nil {
		return p.refuse(err)
	}
	return nil
}

// refuse counts a refusal. Nothing else does, but for the inbox, so each counts once.
func (p *Pool) refuse(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.counts.rejected++
	return err
}

// tryAccept queues c if there is room. It also returns the present policy.
func (p *Pool) tryAccept(c *cell.Cell) (RejectionPolicy, error) {
	p.mu.Lock()
	defer p.mu.Unlock() // also when a queue of the user's own panics
	now := p.now()
	if !p.plain {
		c.When = planOf(c).first(now)
	}
	return p.policy, p.tryEnqueue(c, now)
}

// acceptAfter queues c for the first time, to run after delay, or refuses it.
func (p *Pool) acceptAfter(c *cell.Cell, delay time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	return p.acceptLater(c, clock.Later(now, delay), now)
}

// acceptAt queues c for the first time, to run at a time of the pool's clock, or refuses it.
func (p *Pool) acceptAt(c *cell.Cell, when int64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	return p.acceptLater(c, max(when, now), now)
}

// acceptLater is for tasks with a time of their own, about which no policy is asked. The lock is held.
func (p *Pool) acceptLater(c *cell.Cell, when, now int64) error {
	c.When = planOf(c).first(when)
	err := p.tryEnqueue(c, now)
	if err != nil {
		p.counts.rejected++
	}
	return err
}

// tryEnqueue is the one way into the queue from outside, for a task that has its time. The lock is
// held.
func (p *Pool) tryEnqueue(c *cell.Cell, now int64) error {
	if p.stage != running {
		return ErrShutdown
	}
	if !p.room(0) {
		return ErrSaturated
	}
	p.enqueue(c, now)
	p.notify(now)
	return nil
}

// enqueue accepts c, and queues it, or holds it back until it is its turn in a serial executor. If a
// queue of the user's own panics, nothing has happened. The lock is held.
func (p *Pool) enqueue(c *cell.Cell, now int64) {
	s := planOf(c).strand
	switch {
	case s == nil:
		p.place(c, c.When, now)
	case s.head == nil:
		p.place(c, c.When, now)
		s.head = c
	default:
		p.hold(s, c)
	}
	p.counts.accepted++
}

// room reports whether one more task may wait: as many as there are workers free, or to be started, are
// as good as taken. The caller may be about to add to those that are free. Workers above the maximum
// size will not take anything. The lock is held.
func (p *Pool) room(free int) bool {
	waiting := p.queue.len() + p.aside
	if p.pendingLimit > 0 && waiting >= p.pendingLimit {
		return false
	}
	if p.capacity() == unbounded {
		return true
	}
	occupied := len(p.workers) - p.lot.Idle() - p.lot.Coming() - free
	return waiting-max(p.most()-occupied, 0) < p.capacity()
}

// place queues c, new or not. Among tasks of equal time it is the last. The lock is held.
func (p *Pool) place(c *cell.Cell, when, now int64) {
	p.order++
	c.Order, c.When = p.order, when
	p.queue.push(c, now)
}

// notify sees to it that somebody looks at the head in time, and starts a worker if nobody can and
// there may be one more; and that those enter for whom there is room now. The lock is held.
func (p *Pool) notify(now int64) {
	p.entrants.admit(p, 0)
	mayGrow := len(p.workers) < p.limit()
	if !mayGrow && p.lot.Idle() == 0 {
		return // all are busy, and each will look again
	}
	if p.lot.Notify(p.queue.head(), now, mayGrow) {
		p.startWorker()
	}
}

// now is the time by which the queue goes: in a plain one, which knows no times, the same for ever.
func (p *Pool) now() int64 {
	if p.plain {
		return 0
	}
	return p.clock.Now()
}
