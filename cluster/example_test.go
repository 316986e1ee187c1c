package cluster_test

import (
	"context"
	"fmt"
	"log"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
)

// Each replica runs this program. It needs a nats-server with JetStream; package embedded has an
// example with the server in the process.
func Example() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.Name("mails"))
	if err != nil {
		log.Fatal(err)
	}

	mail := cluster.Define("mail", func(ctx context.Context, to string) (string, error) {
		run, _ := cluster.RunFrom(ctx) // run.ID is the same if it has to be run again
		return fmt.Sprintf("sent to %s as %s", to, run.ID), nil
	}, cluster.With(executor.Timeout(time.Minute)))
	if _, err := cluster.Schedule(ctx, pool, time.Hour, mail, "ann@example.org"); err != nil {
		log.Fatal(err) // if it returns nil, the task is stored
	}
	if err := pool.Serve(ctx, mail); err != nil { // until SIGTERM
		log.Fatal(err)
	}
}

// Each replica may declare a series as it starts: there is one, and one replica at a time runs it.
func ExampleAtFixedRate() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		log.Fatal(err)
	}

	sweep := cluster.Define("sweep", func(context.Context, struct{}) (int, error) { return 0, nil })
	_, err = cluster.AtFixedRate(ctx, pool, "sweep", 0, time.Minute, sweep, struct{}{})
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(pool.Serve(ctx, sweep))
}
