package main

import (
	"context"
	"fmt"
	"time"
)

func latency(size sizes) workload {
	return workload{
		name:  "latency",
		title: "Submit until the result is known, one by one",
		note: fmt.Sprintf("One goroutine, for %v. A p99 of fewer than a hundred samples is their "+
			"greatest.", size.spell),
		columns: []column{
			{title: "p50, ms", ratio: true}, {title: "p99, ms", ratio: true}, {title: "samples"},
		},
		fits:    everyone,
		measure: measureLatency,
	}
}

func measureLatency(ctx context.Context, t *trial) ([]float64, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var took []float64
	for end := time.Now().Add(t.sizes.spell); time.Now().Before(end); {
		begun := time.Now()
		if err := t.do(ctx, s); err != nil {
			return nil, err
		}
		took = append(took, milliseconds(time.Since(begun)))
	}
	return []float64{quantile(took, 0.5), quantile(took, 0.99), float64(len(took))}, nil
}
