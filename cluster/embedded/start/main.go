// Command start is a service whose tasks outlive it, on one machine or on several.
package main

import (
	"context"
	"log"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/embedded"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/timer/cron"
)

// Every replica has the code. Only names and payloads travel.
var (
	mail = cluster.Define("mail", func(ctx context.Context, to string) (string, error) {
		run, _ := cluster.RunFrom(ctx)
		log.Println("mail to", to, "attempt", run.Attempt)
		return "sent", nil
	}, cluster.Retry(10, retry.Backoff{Base: time.Second, Max: time.Hour}))

	report = cluster.Define("report", func(ctx context.Context, _ struct{}) (struct{}, error) {
		log.Println("the nightly report")
		return struct{}{}, nil
	})
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context) error {
	conn, end, err := connect(ctx)
	if err != nil {
		return err
	}
	defer end()
	pool, err := cluster.Join(ctx, conn, cluster.Logger(slog.Default()))
	if err != nil {
		return err
	}
	// Each replica declares it as it starts: there is one.
	nightly := cron.MustParse("30 2 * * *")
	if _, err := cluster.On(ctx, pool, "nightly", nightly, report, struct{}{}); err != nil {
		return err
	}
	// If this returns nil, the task is stored, and has an outcome some time.
	if _, err := cluster.Submit(ctx, pool, mail, "ann@example.org"); err != nil {
		return err
	}
	return pool.Serve(ctx, mail, report) // until SIGTERM; then it waits for what runs
}

// connect connects to the servers of $NATS_URL, or to one in this process.
func connect(ctx context.Context) (conn *nats.Conn, end func(), err error) {
	if url := os.Getenv("NATS_URL"); url != "" {
		conn, err = nats.Connect(url, nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort())
		if err != nil {
			return nil, nil, err
		}
		return conn, conn.Close, nil
	}
	server, err := embedded.Start(ctx, "tasks")
	if err != nil {
		return nil, nil, err
	}
	if conn, err = server.Conn(); err != nil {
		server.Close()
		return nil, nil, err
	}
	return conn, func() { conn.Close(); server.Close() }, nil
}
