package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/retry"
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

// What each task has to do, and whether somebody does it.
func ExamplePool_Tasks() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.MustExist())
	if err != nil {
		log.Fatal(err)
	}
	tasks, err := pool.Tasks(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range tasks {
		fmt.Printf("%s: %d wait, %d are due for up to %v, %d run\n", t.Task, t.Waiting, t.Due, t.Age, t.Held)
		if t.Workers == 0 {
			fmt.Println("  nobody serves it")
		}
	}
}

// All that is due and that no worker has, page by page.
func ExamplePool_List() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.MustExist())
	if err != nil {
		log.Fatal(err)
	}
	for query := (cluster.Query{State: cluster.StateDue}); ; {
		page, err := pool.List(ctx, query)
		if err != nil {
			log.Fatal(err)
		}
		for _, row := range page.Rows {
			fmt.Println(row.Task, row.ID, row.Due)
		}
		if query.After = page.Next; page.Next == 0 {
			return
		}
	}
}

// A series is paused by a process that does not have the code of its task.
func ExamplePool_SeriesByName() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.MustExist())
	if err != nil {
		log.Fatal(err)
	}
	series, err := pool.SeriesByName("sweep", "sweep")
	if err != nil {
		log.Fatal(err)
	}
	if err := series.Pause(ctx); err != nil { // ErrNoSeries if there is none
		log.Fatal(err)
	}
}

// A webhook is tried again for days if need be, and holds no worker in between. What its receiver
// says of the next attempt is done.
func ExampleRetry() {
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

	hook := cluster.Define("hook", func(ctx context.Context, url string) (int, error) {
		answer, err := http.Post(url, "application/json", nil)
		if err != nil {
			return 0, err
		}
		defer answer.Body.Close()
		switch answer.StatusCode {
		case http.StatusTooManyRequests:
			return 0, retry.After(errors.New(answer.Status), time.Minute)
		case http.StatusGone:
			return 0, retry.Permanent(errors.New(answer.Status))
		}
		return answer.StatusCode, nil
	}, cluster.Retry(25, retry.Backoff{Base: 10 * time.Second, Max: 6 * time.Hour}))
	log.Fatal(pool.Serve(ctx, hook))
}

// What has failed is looked at, page by page, and run again.
func ExamplePool_Redrive() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn, cluster.MustExist())
	if err != nil {
		log.Fatal(err)
	}

	hooks := cluster.FailedFilter{Task: "hook"}
	for after := uint64(0); ; {
		page, err := pool.Failed(ctx, hooks, after, 100)
		if err != nil {
			log.Fatal(err)
		}
		for _, f := range page.Rows {
			fmt.Println(f.At, f.ID, f.Attempts, f.Error)
		}
		if after = page.Next; after == 0 {
			break
		}
	}
	redriven, err := pool.Redrive(ctx, hooks)
	for _, r := range redriven {
		fmt.Println(r.ID, "runs again as", r.New)
	}
	if err != nil {
		log.Fatal(err) // of those that could not be redriven
	}
}

// All replicas together make three invoices at a time, and a hundred a minute for each tenant.
func ExampleRate() {
	type order struct{ Tenant, Number string }
	invoice := cluster.Define("invoice", func(_ context.Context, o order) (string, error) {
		return "invoice of " + o.Number, nil
	}, cluster.AtOnce(3), cluster.Rate(100, time.Minute, func(o order) string { return o.Tenant }))
	fmt.Println(invoice.Name())
	// Output: invoice
}

// The log and the failed set show no payloads, and of errors only the task.
func ExampleRedact() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn,
		cluster.Redact(func(task string, part cluster.Part, text string) string {
			if part == cluster.PartError {
				return "an error of " + task
			}
			return fmt.Sprintf("%d bytes", len(text))
		}))
	if err != nil {
		log.Fatal(err)
	}
	page, err := pool.Failed(ctx, cluster.FailedFilter{}, 0, 100)
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range page.Rows {
		fmt.Println(f.ID, f.Error)
	}
}
