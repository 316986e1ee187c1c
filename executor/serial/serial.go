package serial

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/engine"
	"github.com/punctual-go/punctual/executor/internal/submitter"
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
// that wait for their turn count as queued and take room in a bounded queue; over an
// queue.HandOff they wait without bound. Other tasks of the pool may run between two of them.
// A cancelled task that is still running holds up the next until its body has returned.
//
// A task that waits for one behind it gets [future.ErrSelfWait]. If it waits for a task elsewhere
// that in turn waits for one behind it, both wait forever.
type Serial struct{ way submitter.Way }

// New returns a serial executor over the given pool. Given another Serial, it shares that one's
// pool, but not its order. New panics if p is nil or not of this module, as keeping the order needs
// access to the pool's queue; and if an option is nil.
func New(p executor.Submitter, opts ...Option) *Serial {
	s, lane := new(Serial), new(engine.Lane)
	s.way = submitter.Way{Self: s, Pool: poolOf(p), Lane: lane}
	s.way.Pool.InitLane(lane, lanesOf(opts))
	return s
}

// poolOf returns the pool that runs the tasks given to p. A type that embeds one of this module
// will do here: an order needs the queue of the pool, whatever else the type makes of its
// submissions.
func poolOf(p executor.Submitter) *engine.Pool {
	if p == nil {
		panic("serial: nil pool")
	}
	n, ok := p.(submitter.Native)
	if !ok {
		panic("serial: not a pool of package executor")
	}
	return n.Native().Pool
}

// Native is for the packages of this module, see [executor.Pool.Native].
func (s *Serial) Native() submitter.Way { return s.way }

// Execute queues task to run after all that were given before. See [executor.Pool.Execute].
func (s *Serial) Execute(task executor.Task, opts ...executor.TaskOption) error {
	return submitter.Execute(s.way, task, opts)
}

// Submit is Execute with a future for the outcome. See [executor.Pool.Submit].
func (s *Serial) Submit(
	task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return s.submit(context.Background(), false, task, opts)
}

// SubmitContext is Submit that waits for room in the pool until ctx ends. See
// [executor.Pool.SubmitContext]. A task of the same pool does not wait: if there is no room it gets
// [executor.ErrSaturated], because to run the new task at once would be out of turn.
func (s *Serial) SubmitContext(
	ctx context.Context, task executor.Task, opts ...executor.TaskOption,
) (*future.Future[struct{}], error) {
	return s.submit(ctx, true, task, opts)
}

// Schedule has task take its place in the order after the delay: it runs after all that have come
// until then. See [executor.ScheduledPool.Schedule]. It returns [executor.ErrInvalid] if the pool
// is not a scheduled one.
func (s *Serial) Schedule(
	delay time.Duration, task executor.Task, opts ...executor.TaskOption,
) (*executor.ScheduledFuture[struct{}], error) {
	f := new(scheduled)
	ref := (*cell.Core[struct{}])(&f.own).Ref()
	f.future.Future, f.future.Handle = &f.own, executor.Handle(ref)
	if err := submitter.Schedule(s.way, delay, ref.Cell(), task, opts); err != nil {
		return nil, err
	}
	return &f.future, nil
}

// scheduled is a ScheduledFuture with its parts, in one allocation.
type scheduled struct {
	future executor.ScheduledFuture[struct{}] // its Future is own
	own    future.Future[struct{}]
}

// AfterShutdown is [executor.Pool.AfterShutdown] of the pool, with which a Serial is shut down.
func (s *Serial) AfterShutdown(f func()) (stop func() bool) {
	return (*executor.Pool)(s.way.Pool).AfterShutdown(f)
}

// submit submits a task with a future.
func (s *Serial) submit(
	ctx context.Context, wait bool, task executor.Task, opts []executor.TaskOption,
) (*future.Future[struct{}], error) {
	f := new(future.Future[struct{}])
	if err := submitter.Give(ctx, wait, s.way, submitter.CellOf(f), task, opts); err != nil {
		return nil, err
	}
	return f, nil
}
