package inspectcluster_test

import (
	"context"
	"log"
	"net/http"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/inspect"
	"github.com/punctual-go/punctual/contrib/inspectcluster"
	"github.com/punctual-go/punctual/executor"
)

func isOperator(r *http.Request) bool { return r.Header.Get("Role") == "operator" }

func Example() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	tasks, err := cluster.Join(ctx, conn)
	if err != nil {
		log.Fatal(err)
	}
	jobs := executor.NewScheduledPool(4, executor.Name("jobs"))

	page := inspect.Handler(jobs).With(
		inspect.Panels(inspectcluster.New(tasks, inspectcluster.Options{})),
		inspect.Actions(isOperator))
	http.Handle("/punctual/", page)
}
