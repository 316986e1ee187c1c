package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/submitter"
	"github.com/punctual-go/punctual/future"
)

// Submitter accepts tasks: a [Pool], a [ScheduledPool], a serial.Serial, what For of a serial.Keyed
// returns, an event loop and its turns. It is java.util.concurrent's ExecutorService reduced to
// what the owner of a task needs. A service that holds a Submitter can be given a fake in its
// tests.
//
// The functions of this package, and all of package bulk, work with any implementation. Of a
// foreign one they call these two methods only, and SubmitContext if it has one like that of
// [Pool]. Foreign is any type but the pools of this package and the serial executors of package
// serial, also one that embeds them.
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

// Native is for the packages of this module, as nothing else can use what it returns: how tasks
// come to the pool together with their futures.
func (p *Pool) Native() submitter.Way { return submitter.Way{Self: p, Pool: p.engine()} }

// Native is [Pool.Native].
func (p *ScheduledPool) Native() submitter.Way { return submitter.Way{Self: p, Pool: p.engine()} }

// wayOf returns how tasks come to p, or no way if it is foreign.
func wayOf(p Submitter) submitter.Way {
	switch p := p.(type) { // the usual ones first: to look for methods takes longer
	case *Pool:
		return p.Native()
	case *ScheduledPool:
		return p.Native()
	}
	return submitter.Of(p)
}
