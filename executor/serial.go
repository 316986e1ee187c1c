package executor

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
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
	lane engine.Lane
}

// NewSerial returns a serial executor over the given pool. Given another Serial, it shares that
// one's pool, but not its order. NewSerial panics if p is nil or not of this package, as keeping
// the order needs access to the pool's queue; and if an option is nil.
func NewSerial(p Submitter, opts ...SerialOption) *Serial {
	s := &Serial{pool: poolOf(p)}
	s.pool.engine().InitLane(&s.lane, lanesOf(opts))
	return s
}

// lanesOf returns the options as the engine knows them. None of them may be nil.
func lanesOf(opts []SerialOption) []engine.LaneOption {
	lanes := make([]engine.LaneOption, len(opts))
	for i, o := range opts {
		if o == nil {
			panic(fmt.Sprintf("executor: serial option %d is nil", i))
		}
		lanes[i] = o.lane()
	}
	return lanes
}

// Execute queues task to run after all that were given before. See [Pool.Execute].
func (s *Serial) Execute(task Task, opts ...TaskOption) error {
	return s.pool.execute(task, &s.lane, opts)
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
	return s.pool.submitTo(ctx, wait, &s.lane, c, task, opts)
}

// scheduleIn schedules a task for a lane.
func (p *Pool) scheduleIn(
	l *engine.Lane, delay time.Duration, task Task, opts []TaskOption,
) (*ScheduledFuture[struct{}], error) {
	f, c := newScheduled[struct{}]()
	s := engine.Submission{Cell: c, Task: task, Lane: l}
	if err := p.resolve(&s, opts); err != nil {
		return nil, err
	}
	if err := p.engine().Door.Schedule(delay, s); err != nil {
		return nil, err
	}
	return f, nil
}

// AfterShutdown is [Pool.AfterShutdown] of the pool, with which a Serial is shut down.
func (s *Serial) AfterShutdown(f func()) (stop func() bool) { return s.pool.AfterShutdown(f) }
