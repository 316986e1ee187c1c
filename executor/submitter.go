package executor

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/cell"
)

// Submitter accepts tasks: a [Pool], a [ScheduledPool], a [Serial], what [KeyedSerial.For] returns,
// an event loop and its turns. It is java.util.concurrent's ExecutorService reduced to what the
// owner of a task needs. A service that holds a Submitter can be given a fake in its tests.
//
// The functions and types of this package that take a Submitter work with any implementation. Of a
// foreign one they call these two methods only, and SubmitContext if it has one like that of
// [Pool]. A type outside this package is foreign even if it embeds one of this package.
//
// A foreign Submit must return a future or an error. The future stands for the fate of the task: it
// must be settled once the task has ended, or has been dropped and will not run. A task that waits
// for others makes room for them, or is told that it waits for itself, only if Submit returns a
// future of this module that supports that.
//
// What becomes of options is up to a foreign Submitter; one that passes them on to a pool of this
// package need do no more. The values of a context that is given to a function such as
// SubmitContext or [InvokeAll] reach the task in any case: the context that the task gets knows
// them, and what the Submitter has passed.
type Submitter interface {
	// Execute has task run once, or returns an error that says why not.
	Execute(task Task, opts ...TaskOption) error
	// Submit is Execute with a future for the outcome.
	Submit(task Task, opts ...TaskOption) (*future.Future[struct{}], error)
}

// ScheduledSubmitter is a [Submitter] that also runs tasks at their times: a [ScheduledPool], an
// event loop and its turns. It is java.util.concurrent's ScheduledExecutorService reduced to what
// the owner of a task needs. A fake can make a [ScheduledFuture] around any future.
type ScheduledSubmitter interface {
	Submitter
	// Schedule runs task once, delay from now.
	Schedule(delay time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error)
	// ExecuteAfter is Schedule without a future: a failure goes to the error handler.
	ExecuteAfter(delay time.Duration, task Task, opts ...TaskOption) error
	// ScheduleAt runs task once, at the given time.
	ScheduleAt(at time.Time, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error)
	// Every runs task every period, first after one period, and once after a stall.
	Every(period time.Duration, task Task, opts ...TaskOption) (*ScheduledFuture[struct{}], error)
	// AtFixedRate runs task after the initial delay and then every period.
	AtFixedRate(
		initial, period time.Duration, task Task, opts ...TaskOption,
	) (*ScheduledFuture[struct{}], error)
	// WithFixedDelay runs task after the initial delay, and again each time when delay has passed
	// since the end of its last run.
	WithFixedDelay(
		initial, delay time.Duration, task Task, opts ...TaskOption,
	) (*ScheduledFuture[struct{}], error)
}

// native is a Submitter of this package. It takes the cell of a future, so that task and future are
// one allocation, and the pool knows who waits for the task.
type native interface {
	Submitter
	// submit queues the task of c. If there is no room, it waits until ctx ends, if wait says so,
	// or else asks the policy of the pool.
	submit(ctx context.Context, wait bool, c *cell.Cell, task Task, opts []TaskOption) error
	// base returns the pool that runs the tasks.
	base() *Pool
	// self returns the Submitter itself.
	self() Submitter
}

// nativeOf returns p as a Submitter of this package, or nil if it is foreign. A type that embeds
// one of this package has these methods too, but its own Submit must not be bypassed; self tells
// the two apart.
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

// poolOf returns the pool that runs the tasks given to p. A type that embeds one of this package
// will do here: an order needs the queue of the pool, whatever else the type makes of its
// submissions.
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
