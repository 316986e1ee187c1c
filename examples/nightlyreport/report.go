package main

import (
	"context"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/insight"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/timer/cron"
)

// Day is a day of the calendar in a zone, which has 23, 24 or 25 hours.
type Day struct{ From, To time.Time }

// before is the day before the one of a moment.
func before(t time.Time) Day {
	y, m, d := t.Date()
	return Day{time.Date(y, m, d-1, 0, 0, 0, 0, t.Location()), time.Date(y, m, d, 0, 0, 0, 0, t.Location())}
}

func (d Day) String() string {
	return fmt.Sprintf("%s, %v hours", d.From.Format(time.DateOnly), d.To.Sub(d.From).Hours())
}

// Nightly makes the report of each day at 03:00 of the night after it, by the clock on the wall of
// a zone. A night on which nobody was there is made up for, if it is not past noon.
func Nightly(
	pool *executor.ScheduledPool, zone *time.Location, report func(context.Context, Day) error,
) (*executor.ScheduledFuture[struct{}], error) {
	return pool.On(cron.MustParse("0 3 * * *", cron.Zone(zone)), func(ctx context.Context) error {
		run, _ := executor.RunFrom(ctx)
		// The day is that of the plan: a report that is late, or tried again, is of the same day.
		return report(ctx, before(run.Scheduled.In(zone)))
	}, executor.Name("nightly report"), executor.Unique(),
		executor.BeginWithin(9*time.Hour),
		executor.Timeout(30*time.Minute),
		executor.Retry(5, retry.Backoff{Base: time.Minute, Spread: retry.NoSpread}),
		executor.Expect(insight.SuccessWithin(26*time.Hour)))
}
