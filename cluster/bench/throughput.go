package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

func throughput(size sizes) workload {
	return workload{
		name:  "throughput",
		title: "Submit until the result is known, many at once",
		note: fmt.Sprintf("%d goroutines, each waiting for its result before it submits the next, "+
			"for %v.", size.clients, size.spell),
		columns: []column{{"tasks/s", true}},
		fits:    everyone,
		measure: measureThroughput,
	}
}

func measureThroughput(ctx context.Context, t *trial) ([]float64, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var done atomic.Int64
	begun := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for range t.sizes.clients {
		g.Go(func() error {
			for time.Since(begun) < t.sizes.spell {
				if err := t.do(ctx, s); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	return []float64{float64(done.Load()) / time.Since(begun).Seconds()}, nil
}
