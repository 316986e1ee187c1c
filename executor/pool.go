package executor

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/parking"
)

// Task is what a pool runs.
type Task = func(ctx context.Context) error

// Pool runs tasks on a bounded number of reused workers. It is the part that a [ScheduledPool]
// shares with every other pool: workers, life cycle, hooks and counters. A Pool is made as part of
// one by its constructor, is safe for concurrent use, and must not be copied.
//
// # Overview
//
// A task goes one road: accept puts it into the queue, a worker takes it out when it is due, runs
// it, and settles its future or queues its next run. One lock guards all of that. It is never held
// while waiting, or while user code runs: bodies, hooks, handlers and options run without it, and so
// does the settling of a future, which may call those who wait.
//
// Lock order: the pool's lock, then that of a cell's extension, which is a leaf; in practice no two
// are held at once.
type Pool struct {
	settings
	clock     clock.Clock
	submitted *plan // of every task that has a future and no options
	executed  *plan // of every task given to Execute

	mu    sync.Mutex // guards the fields below
	queue workQueue
	lot   *parking.Lot // idle workers
	order uint64       // sequence number of the last task queued

	stage                     stage
	dropDelayed, keepPeriodic bool   // what Shutdown does to queued tasks
	settling                  int    // parties about to settle tasks of the pool, which outlives them
	tidier                    uint64 // the goroutine of the terminated hook
	done                      chan struct{}

	core    int
	workers map[*worker]struct{}
	counts  counts
}

// init makes p a pool whose tasks wait in q.
func (p *Pool) init(core int, q workQueue, opts []Option) {
	p.settings = newSettings(core, opts)
	p.clock = clock.New(1) // above 0, which Started shows for a task that has not begun
	p.submitted = p.newPlan(taskOptions{})
	p.executed = p.newPlan(taskOptions{})
	p.executed.reports = true
	p.queue = q
	p.lot = parking.New(&p.mu)
	p.done = make(chan struct{})
	p.core = core
	p.workers = make(map[*worker]struct{})
}

// Execute queues task to run as soon as a worker is free, after the tasks that are due already.
// There is no future: a failure goes to the error handler. It returns [ErrNilTask], [ErrShutdown] or
// [ErrSaturated] for a task that will not run.
func (p *Pool) Execute(task Task) error {
	body, err := p.bodyOf(task)
	if err != nil {
		return err
	}
	return p.accept(&cell.Cell{Plan: &p.executed.Plan, Body: body}, 0)
}

// Submit is Execute with a future for the outcome. It also returns [ErrInvalid] for a bad option.
func (p *Pool) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	f := new(future.Future[struct{}])
	if err := p.submit(future.CellOf(f), task, opts); err != nil {
		return nil, err
	}
	return f, nil
}

// Submitter is a pool that typed tasks can be submitted to: [Pool] and [ScheduledPool].
type Submitter interface {
	submit(c *cell.Cell, task Task, opts []TaskOption) error
}

// Submit queues fn on p to run as soon as a worker is free and returns the future of its result.
// Errors are those of [Pool.Submit].
func Submit[V any](p Submitter, fn future.Func[V], opts ...TaskOption) (*future.Future[V], error) {
	if fn == nil {
		return nil, ErrNilTask
	}
	f := new(future.Future[V])
	if err := p.submit(future.CellOf(f), future.Bind(f, fn), opts); err != nil {
		return nil, err
	}
	return f, nil
}

func (p *Pool) submit(c *cell.Cell, task Task, opts []TaskOption) error {
	if _, err := p.prepare(c, task, opts); err != nil {
		return err
	}
	return p.accept(c, 0)
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
		Base:    p.base,
		Timeout: o.timeout,
		Late:    future.ErrTimeout,
		Dropped: errDropped,
		Detail:  pl,
	}
	return pl
}

// accept queues c for the first time, to run after delay, or refuses it.
func (p *Pool) accept(c *cell.Cell, delay time.Duration) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	return p.enqueue(c, clock.Later(now, delay), now)
}

// enqueue is the one way into the queue from outside. The lock is held.
func (p *Pool) enqueue(c *cell.Cell, when, now int64) error {
	if p.stage != running {
		p.counts.rejected++
		return ErrShutdown
	}
	if p.pendingLimit > 0 && p.queue.len() >= p.pendingLimit {
		p.counts.rejected++
		return ErrSaturated
	}
	p.counts.accepted++
	p.place(c, planOf(c).first(when), now)
	p.notify(now)
	return nil
}

// place queues c, new or not. Among tasks of equal time it is the last. The lock is held.
func (p *Pool) place(c *cell.Cell, when, now int64) {
	p.order++
	c.Order, c.When = p.order, when
	p.queue.push(c, now)
}

// notify sees to it that somebody looks at the head in time, and starts a worker if nobody can and
// there may be one more. The lock is held.
func (p *Pool) notify(now int64) {
	if p.lot.Notify(p.queue.head(), now, len(p.workers) < p.limit()) {
		p.startWorker()
	}
}
