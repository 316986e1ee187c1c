package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
	"github.com/punctual-go/punctual/internal/series"
)

// Serial runs its tasks one after another, in the order in which they came, on the workers of a
// pool. It occupies one worker at a time. What one task has done is visible to the next, without
// locks. A Serial is safe for concurrent use, and any number of them may share a pool. Elsewhere it
// is called a strand; java.util.concurrent shows it as SerialExecutor in the documentation of
// Executor.
//
// Its tasks are tasks of the pool: they have the pool's hooks and counts, and end with it. Those
// that wait for their turn count as queued and take room in a bounded queue; over a [HandOff] they
// wait without bound. Other tasks of the pool may run between two of them. A cancelled task that is
// still running holds up the next until its body has returned.
//
// A task that waits for one behind it gets [future.ErrSelfWait]. If it waits for a task elsewhere
// that in turn waits for one behind it, both wait forever.
type Serial struct {
	pool *Pool
	lane
}

// lane is a strand with the plans of its tasks that have no options.
type lane struct {
	strand
	submitted, executed *plan
}

// NewSerial returns a serial executor over the given pool. Given another Serial, it shares that
// one's pool, but not its order. NewSerial panics if p is nil or not of this package, as keeping
// the order needs access to the pool's queue; and if an option is nil.
func NewSerial(p Submitter, opts ...SerialOption) *Serial {
	s := &Serial{pool: poolOf(p)}
	s.init(s.pool, checkedSerial(opts))
	return s
}

// checkedSerial returns the options, none of which is nil.
func checkedSerial(opts []SerialOption) []SerialOption {
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("executor: serial option %d is nil", i))
		}
	}
	return opts
}

func (l *lane) init(p *Pool, opts []SerialOption) {
	for _, o := range opts {
		o.configureStrand(&l.strand)
	}

	l.submitted, l.executed = p.newPlan(series.Options{}), p.newPlan(series.Options{})
	l.executed.Reports = true
	l.submitted.strand, l.executed.strand = &l.strand, &l.strand
}

// Execute queues task to run after all that were given before. See [Pool.Execute].
func (s *Serial) Execute(task Task, opts ...TaskOption) error {
	return s.pool.executeIn(&s.lane, task, opts)
}

// Submit is Execute with a future for the outcome. See [Pool.Submit].
func (s *Serial) Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error) {
	return submitTask(context.Background(), false, s, task, opts)
}

// SubmitContext is Submit that waits for room in the pool until ctx ends. See [Pool.SubmitContext].
// A task of the same pool does not wait: if there is no room it gets [ErrSaturated], because to run
// the new task at once would be out of turn.
func (s *Serial) SubmitContext(
	ctx context.Context, task Task, opts ...TaskOption,
) (*future.Future[struct{}], error) {
	return submitTask(ctx, true, s, task, opts)
}

// Schedule has task take its place in the order after the delay: it runs after all that have come
// until then. See [ScheduledPool.Schedule]. It returns [ErrInvalid] if the pool is not a scheduled
// one.
func (s *Serial) Schedule(
	delay time.Duration, task Task, opts ...TaskOption,
) (*ScheduledFuture[struct{}], error) {
	return s.pool.scheduleIn(&s.lane, delay, task, opts)
}

func (s *Serial) base() *Pool     { return s.pool }
func (s *Serial) self() Submitter { return s }

func (s *Serial) submit(
	ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption,
) error {
	return s.pool.submitIn(ctx, wait, &s.lane, c, task, opts)
}

// executeIn submits a task without a future to a lane.
func (p *Pool) executeIn(l *lane, task Task, opts []TaskOption) error {
	c := new(cell.Cell)
	if err := p.prepareExecuted(c, task, opts); err != nil {
		return err
	}
	if pl := planOf(c); pl == p.executed {
		c.Plan = l.executed.Cells()
	} else {
		pl = p.ownPlan(pl)
		pl.strand = &l.strand
		c.Plan = pl.Cells()
	}
	return p.acceptWithin(c, 0, func() error { return p.accept(context.Background(), false, c) })
}

// submitIn submits a task with a future to a lane. A task with options has a plan of its own, which
// gets the strand here.
func (p *Pool) submitIn(
	ctx context.Context, wait bool, l *lane, c *cell.Cell, task Task, opts []TaskOption,
) error {
	pl, err := p.prepare(ctx, c, task, opts)
	if err != nil {
		return err
	}
	if pl == p.submitted {
		c.Plan = l.submitted.Cells()
	} else {
		pl = p.ownPlan(pl)
		pl.strand = &l.strand
		c.Plan = pl.Cells()
	}
	return p.acceptWithin(c, 0, func() error { return p.accept(ctx, wait, c) })
}
