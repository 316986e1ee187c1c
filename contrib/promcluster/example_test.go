package promcluster_test

import (
	"context"
	"log"
	"net/http"

	"github.com/nats-io/nats.go"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/promcluster"
)

func Example() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		log.Fatal(err)
	}
	if err := promcluster.Register(prometheus.DefaultRegisterer, pool); err != nil {
		log.Fatal(err)
	}
	http.Handle("/metrics", promhttp.Handler())
}
