package executor

import (
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// TaskOption configures one submission. A bad value makes the submission fail with [ErrInvalid]. If
// an option is given twice, the last counts. Options that cannot apply are ignored: those about
// periods and repeated runs by a task that runs once, those about times by a task that runs at
// once.
type TaskOption interface{ anyTaskOption }

type anyTaskOption = run.TaskOption

type taskOption func(*series.Options) error

func (o taskOption) Resolve(s *series.Options) error { return o(s) }

// setting is an option whose value is good.
type setting func(*series.Options)

func (o setting) Resolve(s *series.Options) error {
	o(s)
	return nil
}

// refused returns an option whose value is bad.
func refused(format string, args ...any) TaskOption {
	err := invalid(format, args...)
	return taskOption(func(*series.Options) error { return err })
}

// Timeout bounds each run to d, counted from its start. When the time is over, the run has failed
// with [future.ErrTimeout], whatever its body returns later. At that moment its context ends, with
// ErrTimeout as cause and context.DeadlineExceeded as error. The future of a task that runs once is
// settled; for a periodic task the failure is reported as [FailurePolicy] says.
//
// Nothing else interrupts the body: its worker stays occupied until it returns, and a series waits
// that long for its next run. A run whose context has ended before, through ShutdownNow or the base
// context, no longer times out. d must be positive.
func Timeout(d time.Duration) TaskOption {
	if d <= 0 {
		return refused("timeout %v is not positive", d)
	}
	return setting(func(o *series.Options) { o.Timeout = d })
}

// CatchUpPolicy says what a fixed-rate task does about periods that pass while it cannot run:
// because a run took long, all workers were busy, or the process was suspended.
type CatchUpPolicy = series.CatchUp

// With period 10, and a run at 20 that takes until 47, the runs start at:
//
//	Burst     0 10 20 47 47 50 60   every period gets its run, late ones back to back
//	Coalesce  0 10 20 47    50 60   one run for all missed periods, then back on the grid
//	Skip      0 10 20       50 60   missed periods are dropped
//	Shift     0 10 20 47    57 67   the grid moves to where the late run starts
//
// Under Skip and Coalesce a run that was queued in time but starts a period or more late counts for
// the latest period. Either costs the same however many periods were missed. [Run] tells a task how
// many it has missed. Shift moves the grid only by a run that could not start in time because the
// one before took longer than its period, or that starts a period or more late; tokio calls this
// Delay. With [Jitter], Skip drops a period only when the whole span is over in which
// its run could have been planned: a run that starts when it was planned has missed nothing.
//
// Under Burst a series whose runs take longer than its period falls behind without bound. On a pool
// without another free worker it also delays every task that is due after the runs it owes. Under
// the other policies neither happens.
const (
	Burst    CatchUpPolicy = series.Burst
	Skip     CatchUpPolicy = series.Skip
	Coalesce CatchUpPolicy = series.Coalesce
	Shift    CatchUpPolicy = series.Shift
)

// CatchUp sets the policy of a task at a fixed rate or on a calendar. The default of
// [ScheduledPool.AtFixedRate] is Burst, as in Java, that of [ScheduledPool.Every] and
// [ScheduledPool.On] is Coalesce. Other tasks ignore it.
func CatchUp(p CatchUpPolicy) TaskOption {
	if p > Shift {
		return refused("catch-up policy %d is unknown", p)
	}
	return setting(func(o *series.Options) { o.CatchUp, o.CatchUpSet = p, true })
}

// ErrorPolicy says what a failed run means for its series.
type ErrorPolicy uint8

const (
	// StopOnPanic ends the series with a run that panics or calls runtime.Goexit. If a run returns
	// an error or exceeds its [Timeout], that is the outcome of this run alone, and the series goes
	// on.
	StopOnPanic ErrorPolicy = ErrorPolicy(series.StopOnPanic)
	// StopSeries ends the series with any run that fails, which one with [ErrSkipped] does not.
	StopSeries ErrorPolicy = ErrorPolicy(series.StopSeries)
	// Continue goes on, however a run fails.
	Continue ErrorPolicy = ErrorPolicy(series.Continue)
)

// FailurePolicy says what failures mean to a periodic task. The default is StopOnPanic: in Java a
// series ends with an exception, for which Go has the panic. Other tasks ignore it.
//
// A failure that ends the series becomes the outcome of its future; it is reported to the
// [ErrorHandler], and one record is logged in any case.
//
// A failure that does not end the series is reported to the handler too, each one. Without a
// handler only some are logged: of failures in a row the first, second, fourth, eighth and so on,
// with their number in the row as "streak". The success that ends the row is logged at level Info.
// Panics in the row are also counted on their own and logged by the same rule, so the first one is
// always logged, however many errors came before it.
//
// A run that exceeds its Timeout fails at that moment, and is counted and reported then, because
// its body may never return. What the body finally returns goes to [AfterRun] only. If it panics,
// that is reported too, and ends the series if the policy says so.
func FailurePolicy(p ErrorPolicy) TaskOption {
	if p > Continue {
		return refused("failure policy %d is unknown", p)
	}
	return setting(func(o *series.Options) { o.OnError = series.OnError(p) })
}

// Jitter delays each run of a scheduled or periodic task by a random duration below d, so that many
// tasks with the same period do not run in step. The delays do not add up: the next run of a
// fixed-rate task is planned from the undelayed time. On a calendar, a run is not put off until the
// next time of that, so none is lost. d must be neither negative nor greater than the period of a
// fixed-rate task.
func Jitter(d time.Duration) TaskOption {
	if d < 0 {
		return refused("negative jitter %v", d)
	}
	return setting(func(o *series.Options) { o.Jitter = d })
}

// MaxRuns ends a periodic task after n runs that have begun; its future then succeeds. Other tasks
// ignore it. n must be at least 1.
func MaxRuns(n int) TaskOption {
	if n < 1 {
		return refused("maximum of %d runs is below 1", n)
	}
	return setting(func(o *series.Options) { o.MaxRuns = uint64(n) })
}

// Priority says how urgent the task is on a pool whose queue is a [queue.Priority]: the higher, the
// sooner. The default is 0, and negative values are allowed. Other queues ignore it.
func Priority(n int) TaskOption {
	return setting(func(o *series.Options) { o.Priority = n })
}

// Unique makes the name of a task its identity: while the task lives, its pool refuses another
// unique task of that name with [ErrDuplicate], and [Pool.Lookup] finds it. A task lives from its
// submission until it has ended and its body, even one that was cancelled, has returned; so two
// tasks of one name never run side by side. Tasks without this option are not counted. The task
// needs a [Name]. Event loops refuse the option with [ErrInvalid].
func Unique() TaskOption {
	return setting(func(o *series.Options) { o.Unique = true })
}
