package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Submitter is what tasks are given to: a [Pool], a [ScheduledPool], a [Serial], what
// [KeyedSerial.For] returns, an event loop and its turns. It is java.util.concurrent's
// ExecutorService, as far as one who has tasks needs to know it: a service that holds a Submitter
// can be given a fake in its tests.
//
// The functions and types of this package that take a Submitter work with any implementation. Of
// one that is not of this package, also if it embeds one that is, they know these two methods,
// and SubmitContext if it has that as [Pool] does. They take the future of Submit for the fate of
// the task: it is to be settled once the task has ended, or is dropped and will not run. If a
// task that waits for others is to make room for them, or to be told that it waits for itself,
// Submit must return a future of this module that knows. Submit must not return neither a future
// nor an error.
type Submitter interface {
	// Execute has task run once, or returns an error that says why not.
	Execute(task Task) error
	// Submit is Execute with a future for the outcome.
	Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error)
}

// ScheduledSubmitter is a [Submitter] that also runs tasks at their times: a [ScheduledPool], an
// event loop and its turns. It is java.util.concurrent's ScheduledExecutorService, for one who
// has tasks. A fake makes a [ScheduledFuture] around any future.
type ScheduledSubmitter interface {
	Submitter
	// Schedule runs task once, delay from now.
	Schedule(delay time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error)
	// ScheduleAt runs task once, at the given time.
	ScheduleAt(at time.Time, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error)
	// AtFixedRate runs task after the initial delay and then every period.
	AtFixedRate(
		initial, period time.Duration, task Task, opts ...TaskOption,
	) (*ScheduledFuture[struct{}], error)
	// WithFixedDelay runs task after the initial delay, and again each time delay has passed since
	// its last run ended.
	WithFixedDelay(
		initial, delay time.Duration, task Task, opts ...TaskOption,
	) (*ScheduledFuture[struct{}], error)
}

// native is a Submitter of this package, which takes the cell of a future: so that task and
// future are one allocation, and the pool knows who waits for it.
type native interface {
	Submitter
	// submit queues the task of c. If there is no room it waits until ctx ends, if told so, or does
	// what the policy of the pool says.
	submit(ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption) error
	// base returns the pool that runs the tasks.
	base() *Pool
	// self returns the Submitter itself.
	self() Submitter
}

// nativeOf returns p as a Submitter of this package, or nil if it is none. What embeds one has
// these methods as well, but may have a Submit of its own in place of that.
func nativeOf(p Submitter) native {
	switch p := p.(type) { // the usual ones first: to look for methods takes longer
	case *Pool:
		return p
	case *ScheduledPool:
		return p
	}
	if n, ok := p.(native); ok && n.self() == p {
		return n
	}
	return nil
}

// poolOf returns the pool behind p.
func poolOf(p Submitter) *Pool {
	if p == nil {
		panic("executor: nil pool")
	}
	n, ok := p.(native)
	if !ok {
		panic("executor: a serial executor needs a pool of this package")
	}
	return n.base()
}
