package main

import (
	"context"
	"fmt"
	"time"
)

// arming is measured with a few callers, with as many as everywhere else, and with many.
func arming(size sizes) workload {
	w := workload{
		name:  "arm",
		title: "Arming",
		note: fmt.Sprintf("%d tasks an hour ahead, one call for each, in tasks/s, by the number of "+
			"goroutines that call, one after the other.", size.armed),
		fits:    untuned,
		measure: measureArming,
	}
	for _, n := range size.callers() {
		w.columns = append(w.columns, column{fmt.Sprint(n, " callers"), true})
	}
	return w
}

func (s sizes) callers() []int { return []int{s.clients / 4, s.clients, 4 * s.clients} }

func measureArming(ctx context.Context, t *trial) (rates []float64, err error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, callers := range t.sizes.callers() {
		begun := time.Now()
		if err := t.arm(ctx, s, callers, t.sizes.armed); err != nil {
			return nil, err
		}
		rates = append(rates, float64(t.sizes.armed)/time.Since(begun).Seconds())
	}
	return rates, nil
}
