package main

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// Alarm samples a gauge, and rings when it has been above a limit for several samples in a row. It
// is the code under test here: the tests beside it are the example.
type Alarm struct {
	Gauge func(context.Context) (float64, error)
	Limit float64
	Row   int // so many samples in a row
	Ring  func(at time.Time, value float64)

	mu    sync.Mutex
	above int
	rung  bool
}

// Watch samples each period, until the future is cancelled or the pool closed. A gauge that takes
// too long is given up after half a period, and one that fails is no sample. If samples were
// missed, the row begins anew: nobody knows what was in between.
func (a *Alarm) Watch(
	pool *executor.ScheduledPool, period time.Duration,
) (*executor.ScheduledFuture[struct{}], error) {
	return pool.AtFixedRate(0, period, a.sample, executor.Name("alarm"),
		executor.Timeout(period/2), executor.CatchUp(executor.Skip))
}

func (a *Alarm) sample(ctx context.Context) error {
	value, err := a.Gauge(ctx)
	if err != nil {
		return err
	}
	run, _ := executor.RunFrom(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	if run.Missed > 0 {
		a.above = 0
	}
	if value <= a.Limit {
		a.above, a.rung = 0, false
		return nil
	}
	if a.above++; a.above >= a.Row && !a.rung {
		a.rung = true
		a.Ring(run.Scheduled, value)
	}
	return nil
}
