package otelcluster_test

import (
	"context"
	"log"

	"github.com/nats-io/nats.go"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/contrib/otelcluster"
)

func Example() {
	ctx := context.Background()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	reader := sdkmetric.NewManualReader() // or a PeriodicReader
	meters := sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader))

	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		log.Fatal(err)
	}
	registration, err := otelcluster.Register(meters, otelcluster.Options{}, pool)
	if err != nil {
		log.Fatal(err)
	}
	defer registration.Unregister()
}
