package metrics_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/punctual-go/punctual/cluster"
	"github.com/punctual-go/punctual/cluster/metrics"
)

func ExampleRead() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	conn, err := nats.Connect(nats.DefaultURL)
	if err != nil {
		log.Fatal(err)
	}
	defer conn.Close()
	pool, err := cluster.Join(ctx, conn)
	if err != nil {
		log.Fatal(err)
	}

	families, err := metrics.Read(ctx, pool)
	if err != nil {
		log.Fatal(err)
	}
	for _, family := range families {
		for _, point := range family.Points {
			fmt.Println(family.Name, family.Unit, family.Attributes, point.Attributes, point.Value)
		}
	}
}
