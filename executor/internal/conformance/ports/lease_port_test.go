package ports_test

import (
	"context"
	"errors"
	"math"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
)

func portedLease(renew renewal) service {
	pool := executor.NewScheduledPool(1, pooltest.Quiet())
	lease, _ := pool.AtFixedRate(ttl/3, ttl/3, func(ctx context.Context) error {
		err := renew(ctx)
		if errors.Is(err, errLost) {
			return retry.Permanent(err)
		}
		return err
	}, executor.Retry(math.MaxInt32, retry.Backoff{
		Base: againWait, Factor: 1, Within: ttl * 2 / 3, Spread: retry.NoSpread,
	}), executor.FailurePolicy(executor.StopSeries), executor.CatchUp(executor.Skip))
	return service{
		ended: lease.Done(),
		stop:  func() { pool.ShutdownNow(); pool.Close() },
	}
}
