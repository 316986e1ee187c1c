package ports_test

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func portedCertificate(issue issuing) service {
	pool := executor.NewScheduledPool(1, pooltest.Quiet())
	pool.WithFixedDelay(0, firstWait/2, func(ctx context.Context) error {
		life, err := issue(ctx)
		if err == nil {
			executor.NextIn(ctx, life*2/3)
		}
		return err
	}, executor.SlowDown(2, longestWait)) // unlike Retry it lets each failure be reported
	return service{stop: func() { pool.ShutdownNow(); pool.Close() }}
}
