package ports_test

import (
	"context"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func portedHealth(probe func(context.Context) error) service {
	pool := executor.NewScheduledPool(1, pooltest.Quiet())
	wait := usualWait
	checks, _ := pool.WithFixedDelay(0, wait, probe, executor.DelayBy(
		func(last executor.LastRun) (time.Duration, bool) {
			if wait = min(2*wait, mostWait); last.Err != nil {
				wait = leastWait
			}
			return wait, true
		}))
	return service{
		demand: func() { checks.Trigger() },
		stop:   func() { pool.ShutdownNow(); pool.Close() },
	}
}
