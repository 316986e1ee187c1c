package ports_test

import (
	"context"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func portedCompaction(compact compaction) service {
	pool := executor.NewScheduledPool(1, pooltest.Quiet())
	pool.WithFixedDelay(0, afterTrouble, func(ctx context.Context) error {
		merged, err := compact(ctx)
		if err == nil {
			executor.NextIn(ctx, wait(merged))
		}
		return err
	}, executor.FailurePolicy(executor.Continue))
	return service{stop: func() { pool.ShutdownNow(); pool.Close() }}
}
