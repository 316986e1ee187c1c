package main

import (
	"context"
	"fmt"
)

func throughput(size sizes) workload {
	return workload{
		name:  "throughput",
		title: "Submit until the result is known, many at once",
		note: fmt.Sprintf("%d goroutines, each waiting for its result before it submits the next, "+
			"for %v.", size.clients, size.spell),
		columns: []column{{title: "tasks/s", ratio: true}},
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
	_, rate, err := during(ctx, t.sizes.clients, t.sizes.spell, func(ctx context.Context) error {
		return t.do(ctx, s)
	})
	return []float64{rate}, err
}
