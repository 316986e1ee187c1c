package executor

import (
	"cmp"
	"math"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/series"
)

// Backoff says how long to wait before each further attempt, see [Retry]. With the zero Backoff it
// comes at once. The option that has a series run less often while it fails is [SlowDown].
//
// With base 100 ms, factor 2, and a most of 1 s, the waits are, for a random number of 0, of one
// half, and close to 1:
//
//	NoSpread            100 200 400 800 1000    always
//	FullSpread          0 0 0 0 0               50 100 200 400 500       100 200 400 800 1000
//	EqualSpread         50 100 200 400 500      75 150 300 600 750       100 200 400 800 1000
//	DecorrelatedSpread  100 100 100 100 100     200 350 575 912 1000     300 900 1000 1000 1000
//
// The kinds of jitter are those of Brooker, "Exponential Backoff And Jitter" (AWS, 2015).
type Backoff struct {
	Base   time.Duration // the first wait
	Factor float64       // of each wait to the one before; 0 means 2, and 1 a constant wait
	Max    time.Duration // of a wait; 0 means no limit
	Spread Spread        // how waits are varied; the zero value is FullSpread

	// Within bounds the whole: no attempt begins so long after the first began, or later, and no
	// wait is begun that would end there. 0 means no limit.
	Within time.Duration
}

// Spread says how the waits of a [Backoff] are varied at random, so that many tasks that failed
// together do not come back together.
type Spread uint8

// With w for the wait of the back-off and r for a random number from 0 to 1:
const (
	FullSpread         Spread = Spread(series.FullSpread)         // r·w
	EqualSpread        Spread = Spread(series.EqualSpread)        // w/2 + r·w/2
	DecorrelatedSpread Spread = Spread(series.DecorrelatedSpread) // base + r·(3·last − base)
	NoSpread           Spread = Spread(series.NoSpread)           // w
)

// Retry makes a task that has failed try again, up to so many attempts in all. Between two the task
// waits in the queue and holds no worker. It takes room there, see [queue.Bounded], but is never
// refused. All attempts are one run: of a series they share number
// and time, its grid does not move, and the next run waits for the last attempt. The future has the
// outcome of the last attempt, which alone is reported; [Run.Attempt] tells them apart. [Timeout]
// bounds each attempt; one that exceeds it is told to [Observer] and counted at that moment, and
// logged, but is over only once its body has returned.
//
// An error is tried again, an exceeded Timeout too, but not a panic or Goexit. [Permanent] and
// [RetryAfter] let the body decide. A cancellation during a wait settles the task at once, like
// that of any task that waits. So does a shutdown that drops it; the error then matches that of the
// last attempt as well, and is reported if the task has no future. An attempt that fails when the
// pool lets nothing more wait is the last, and a failure of the run.
//
// attempts must be at least 1.
func Retry(attempts int, b Backoff) TaskOption {
	switch {
	case attempts < 1:
		return refused("%d attempts are below 1", attempts)
	case b.Base < 0, b.Max < 0, b.Within < 0:
		return refused("negative duration in back-off %+v", b)
	case b.Factor != 0 && !(b.Factor >= 1), math.IsInf(b.Factor, 0):
		return refused("back-off factor %v is not a number from 1 on", b.Factor)
	case b.Spread > NoSpread:
		return refused("spread %d is unknown", b.Spread)
	}
	r := series.Retry{
		Attempts: uint64(attempts), Base: b.Base, Factor: cmp.Or(b.Factor, 2), Max: b.Max,
		Spread: series.Spread(b.Spread), Within: b.Within,
	}
	return setting(func(o *series.Options) { o.Retry = r })
}

// Permanent wraps an error of a body: the task is not tried again. errors.Is and errors.As find err
// in it. It returns nil if err is nil.
func Permanent(err error) error {
	if err == nil {
		return nil
	}
	return &run.Advice{Err: err, Permanent: true}
}

// RetryAfter wraps an error of a body: the next attempt, if there is one left, comes after d
// instead of the wait of the back-off. It returns nil if err is nil.
func RetryAfter(err error, d time.Duration) error {
	if err == nil {
		return nil
	}
	return &run.Advice{Err: err, After: d}
}
