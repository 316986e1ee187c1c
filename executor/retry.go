package executor

import (
	"cmp"

	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/internal/series"
)

// Retry makes a task that has failed try again, up to so many attempts in all. Between two the task
// waits in the queue and holds no worker. It takes room there, see [queue.Bounded], but is never
// refused. All attempts are one run: of a series they share number and time, its grid does not move,
// and the next run waits for the last attempt. The future has the outcome of the last attempt, which
// alone is reported; [Run.Attempt] tells them apart. [Timeout] bounds each attempt; one that exceeds
// it is told to [Observer] and counted at that moment, and logged, but is over only once its body
// has returned.
//
// An error is tried again, an exceeded Timeout too, but not a panic, Goexit or [ErrSkipped].
// [retry.Permanent] and [retry.After] let the body decide. A cancellation during a wait settles the
// task at once, like that of any task that waits. So does a shutdown that drops it; the error then
// matches that of the last attempt as well, and is reported if the task has no future. An attempt
// that fails when the pool lets nothing more wait is the last, and a failure of the run.
//
// attempts must be at least 1.
func Retry(attempts int, b retry.Backoff) TaskOption {
	if attempts < 1 {
		return refused("%d attempts are below 1", attempts)
	}
	if err := b.Validate(); err != nil {
		return refused("%v", err)
	}
	r := series.Retry{
		Attempts: uint64(attempts), Base: b.Base, Factor: cmp.Or(b.Factor, 2), Max: b.Max,
		Spread: series.Spread(b.Spread), Within: b.Within,
	}
	return setting(func(o *series.Options) { o.Retry = r })
}
