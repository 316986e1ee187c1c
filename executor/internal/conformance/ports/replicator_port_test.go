package ports_test

import (
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

func portedReplicator(send replicate) service {
	pool := executor.NewScheduledPool(1, executor.Pace(atMost, span), pooltest.Quiet())
	replicator, _ := pool.WithFixedDelay(initial, interval, send)
	return service{
		demand: func() { replicator.Reset(0) },
		stop:   func() { pool.ShutdownNow(); pool.Close() },
	}
}
