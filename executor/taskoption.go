package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// TaskOption configures one submission. Those about times and runs mean nothing to a task that runs
// once, or at once, and are ignored there. A bad value makes the submission fail with [ErrInvalid].
// Of an option given twice the last counts.
type TaskOption interface{ anyTaskOption }

type anyTaskOption = run.TaskOption

type taskOption func(*series.Options) error

func (o taskOption) Resolve(s *series.Options) error { return o(s) }

// Timeout bounds each run. When d has passed since the start of the run, its context ends with
// [future.ErrTimeout] as cause and DeadlineExceeded as error, and the run has failed with
// ErrTimeout, whatever its body returns later: at that moment the future of a task that runs once
// is settled, and the failure of a series told as [OnError] says. The body is not interrupted
// otherwise, its worker stays occupied until it returns, and so long a series waits. A run whose
// context has ended before, by ShutdownNow or with the base context, is told so already, and does
// not time out any more. d must be positive.
func Timeout(d time.Duration) TaskOption {
	return taskOption(func(o *series.Options) error {
		if d <= 0 {
			return invalid("timeout %v is not positive", d)
		}
		o.Timeout = d
		return nil
	})
}

// CatchUpPolicy says what a fixed-rate task does about the periods that pass while it cannot run:
// because a run took long, all workers were busy, or the process stood still.
type CatchUpPolicy = series.CatchUp

// With period 10 and a run that stands from 20 to 47, the runs start at:
//
//	Burst     0 10 20 47 47 50 60   every period gets its run, late ones back to back
//	Coalesce  0 10 20 47    50 60   one run for all that passed, then on the grid again
//	Skip      0 10 20       50 60   what passed is dropped
//
// Under Skip and Coalesce a run that was queued in time and starts a period or more late counts for
// the latest period passed. Both cost the same however many periods were missed. What a run has
// missed is told by [Run]. With [Jitter] a period has passed for Skip when no time is left for
// which its run could be planned: a run that starts when it was planned has missed nothing.
//
// A series whose runs take longer than its period falls behind without bounds under Burst, and so does, on a pool
// without another free worker, what is due after the runs that it owes; under Skip and Coalesce neither does.
const (
	Burst    CatchUpPolicy = series.Burst
	Skip     CatchUpPolicy = series.Skip
	Coalesce CatchUpPolicy = series.Coalesce
)

// CatchUp sets the policy of a fixed-rate task; Burst is the default, as in Java. Other tasks
// ignore it.
func CatchUp(p CatchUpPolicy) TaskOption {
	return taskOption(func(o *series.Options) error {
		if p > Coalesce {
			return invalid("catch-up policy %d is unknown", p)
		}
		o.CatchUp = p
		return nil
	})
}

// ErrorPolicy says what a failed run means for its series.
type ErrorPolicy uint8

const (
	// StopOnPanic ends the series with a run that panics, or calls runtime.Goexit. An error that a
	// run returns, and a [Timeout] that it outlives, are the outcome of that run: the series goes
	// on.
	StopOnPanic ErrorPolicy = ErrorPolicy(series.StopOnPanic)
	// StopSeries ends the series with any run that fails.
	StopSeries ErrorPolicy = ErrorPolicy(series.StopSeries)
	// Continue goes on whatever happens.
	Continue ErrorPolicy = ErrorPolicy(series.Continue)
)

// OnError sets the policy of a periodic task; StopOnPanic is the default, as Java ends a series at
// an exception, and the exception of Go is the panic. Other tasks ignore it.
//
// A failure that ends the series is the outcome of its future, the [ErrorHandler] is told, and one
// record is logged in any case.
//
// After a failure that does not, the handler is told, of each. If there is no handler, few are
// logged: of runs that fail in a row the first, second, fourth, eighth and so on, with their number
// in the row as "streak"; and the success that ends the row, at level Info. The panics of a row
// that goes on are counted by themselves as well, and logged likewise, so that the first is,
// however many errors have come before it.
//
// A run that outlives its Timeout fails at that moment, and that is when it counts and is told, as
// its body may never return. What the body returns in the end is for [AfterRun] only; but if it
// panics, that is told too, and ends the series if the policy says so.
func OnError(p ErrorPolicy) TaskOption {
	return taskOption(func(o *series.Options) error {
		if p > Continue {
			return invalid("error policy %d is unknown", p)
		}
		o.OnError = series.OnError(p)
		return nil
	})
}

// Jitter delays every run of a task of Schedule and its kin by a random duration below d, so that many
// tasks of one period do not run in step. It does not add up: the next run of a fixed-rate task is
// planned from the undisturbed time. d must not be negative, and not above the period of a fixed-rate
// task.
func Jitter(d time.Duration) TaskOption {
	return taskOption(func(o *series.Options) error {
		if d < 0 {
			return invalid("negative jitter %v", d)
		}
		o.Jitter = d
		return nil
	})
}

// MaxRuns ends a periodic task after n runs; its future then succeeds. Other tasks run once
// anyway. n must be at least 1.
func MaxRuns(n int) TaskOption {
	return taskOption(func(o *series.Options) error {
		if n < 1 {
			return invalid("maximum of %d runs is below 1", n)
		}
		o.MaxRuns = uint64(n)
		return nil
	})
}

// Priority says how urgent the task is on a pool whose queue is a [PriorityFIFO]; higher is sooner, 0
// is the default. Other queues ignore it.
func Priority(n int) TaskOption {
	return taskOption(func(o *series.Options) error {
		o.Priority = n
		return nil
	})
}
