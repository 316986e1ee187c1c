package main

import (
	"context"
	"fmt"
)

// arming is measured with one caller, with a few and with many.
func arming(size sizes) workload {
	w := workload{
		name:  "arm",
		title: "Arming",
		note: fmt.Sprintf("Tasks an hour ahead, one call for each, in tasks/s, by the number of "+
			"goroutines that call, one after the other, each number for %v. Processor time is that "+
			"of %d callers.", size.short, size.few),
		fits:    untuned,
		measure: measureArming,
	}
	for _, n := range size.callers() {
		title := fmt.Sprint(n, " callers")
		if n == 1 {
			title = "1 caller"
		}
		w.columns = append(w.columns, column{title: title, ratio: true})
	}
	w.columns = append(w.columns, processorColumns()...)
	return w
}

func (s sizes) callers() []int { return []int{1, s.few, s.many} }

// processorColumns are the two figures of usage.since.
func processorColumns() []column {
	return []column{
		{title: "processor, µs/task", ratio: true}, {title: "of it servers", some: true},
	}
}

func measureArming(ctx context.Context, t *trial) (figures []float64, err error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var all, servers float64
	for _, callers := range t.sizes.callers() {
		before := measureUsage(s.Servers(), nil)
		stored, rate, err := during(ctx, callers, t.sizes.short, func(ctx context.Context) error {
			return t.store(ctx, s)
		})
		if err != nil {
			return nil, err
		}
		figures = append(figures, rate)
		if callers == t.sizes.few {
			all, servers = measureUsage(s.Servers(), nil).since(before, stored)
		}
	}
	return append(figures, all, servers), nil
}
