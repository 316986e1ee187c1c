package main

import (
	"context"
	"fmt"
	"time"
)

func arming(size sizes) workload {
	return workload{
		name:  "arm",
		title: "Arming",
		note: fmt.Sprintf("%d tasks an hour ahead, one call for each, from %d goroutines.",
			size.armed, size.clients),
		columns: []column{{"tasks/s", true}},
		fits:    untuned,
		measure: measureArming,
	}
}

func measureArming(ctx context.Context, t *trial) ([]float64, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	begun := time.Now()
	if err := t.arm(ctx, s, t.sizes.armed); err != nil {
		return nil, err
	}
	return []float64{float64(t.sizes.armed) / time.Since(begun).Seconds()}, nil
}
