package executor

import (
	"context"
	"iter"
	"time"

	"github.com/punctual-go/punctual/executor/internal/run"
	"github.com/punctual-go/punctual/internal/clock"
	"github.com/punctual-go/punctual/internal/series"
)

// Ticks yields a [Run] every period, in the caller's own goroutine: it is a [time.Ticker] that
// tells what it has missed. There is no pool, and nothing to stop. The first tick comes one period
// after the loop has begun, and tick n at n periods, no matter how long the body of the loop has
// taken for the others. The loop ends when ctx does, without another tick. A nil ctx never ends.
//
//	for tick := range executor.Ticks(ctx, time.Minute) {
//		poll(tick.Missed)
//	}
//
// Options mean what they mean for a fixed-rate task: [CatchUp] what happens when the body takes
// longer than a period, which by default is that one tick stands for all that are late, as with
// [ScheduledPool.Every]; [Jitter] and [MaxRuns]; and [Name], which each Run carries. Other options
// are ignored. A loop may be run several times, each time from the first tick on.
//
// Ticks panics if period is not positive, and on a bad option, with an error that matches
// [ErrInvalid]. A loop costs one timer. Outside of a bubble it is as late as a time.Timer, up to a
// millisecond in an idle process; a [ScheduledPool] is more exact.
func Ticks(ctx context.Context, period time.Duration, opts ...TaskOption) iter.Seq[Run] {
	o, every, err := run.ResolveSeries(new(run.Settings), period, run.Ticking, opts)
	if err != nil {
		panic(err)
	}
	var done <-chan struct{}
	if ctx != nil {
		done = ctx.Done()
	}
	return func(yield func(Run) bool) {
		t := ticker{clock: clock.New(0), done: done}
		t.timer = time.NewTimer(time.Hour)
		defer t.timer.Stop()
		s := series.Series{Grid: series.Grid{Options: o, Period: every}}
		due := s.First(clock.Later(t.clock.Now(), period))
		for !s.Last(0) && t.await(due) {
			now := t.clock.Now()
			tick := Run{
				Name:      o.Name,
				Scheduled: t.clock.Time(s.Start(due, now)),
				Started:   t.clock.Time(now),
			}
			tick.Number, tick.Missed = s.Runs, s.Missed // which Start has counted
			if !yield(tick) {
				return
			}
			due = s.Next(t.clock.Now())
		}
	}
}

// ticker waits for the ticks of one loop.
type ticker struct {
	clock clock.Clock
	timer *time.Timer
	done  <-chan struct{} // ends the loop; nil if nothing does
}

// await waits until the given time, and reports false if the loop has ended before.
func (t *ticker) await(due int64) bool {
	for {
		left := due - t.clock.Now()
		select {
		case <-t.done:
			return false
		default:
		}
		if left <= 0 {
			return true
		}
		t.timer.Reset(time.Duration(left))
		select {
		case <-t.done:
			return false
		case <-t.timer.C:
		}
	}
}
