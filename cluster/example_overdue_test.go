package cluster_test

import (
	"context"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
)

// An alarm in code, for a fleet without a monitoring system: any process may look, by the minute.
func ExamplePool_Overdue() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		slog.Error("no server", "error", err)
		return
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		slog.Error("no pool", "error", err)
		return
	}

	for range time.Tick(time.Minute) {
		overdue, err := pool.Overdue(ctx, 5*time.Minute)
		if err != nil {
			slog.Error("the series cannot be looked at", "error", err)
		}
		for _, s := range overdue {
			slog.Error("a series did not run", "task", s.Task, "series", s.Series, "due", s.Due,
				"state", s.State)
		}
	}
}
