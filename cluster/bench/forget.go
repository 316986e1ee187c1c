package main

import (
	"context"
	"fmt"
	"time"
)

func forget(size sizes) workload {
	w := workload{
		name:  "forget",
		title: "Fire and forget",
		note: fmt.Sprintf("%d tasks, due at once, whose results nobody asks for: from the first call "+
			"until the last task has begun. First from %d goroutines with one call for each task, "+
			"then from one with %d tasks at a time, as above. Processor time is taken %v later, so "+
			"that what is written afterwards counts. Outcomes are kept as each does by default: "+
			"ours and River for a day, asynq not at all.", size.forgotten, size.few, size.batch,
			settling),
		columns: append([]column{{title: "one call each, tasks/s", ratio: true}},
			processorColumns()...),
		fits:    everyone,
		measure: measureForget,
	}
	w.columns = append(w.columns, column{title: "in batches, tasks/s", ratio: true})
	w.columns = append(w.columns, processorColumns()...)
	return w
}

// settling is how long after the last task all that concerns it is written. River takes 250 ms.
const settling = 500 * time.Millisecond

func measureForget(ctx context.Context, t *trial) (figures []float64, err error) {
	y := newTally()
	t.site.body = y.count
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for _, submit := range []func() error{
		func() error { return t.submitEach(ctx, s, t.sizes.forgotten) },
		func() error {
			return t.inBatches(t.sizes.forgotten, atOnce, func(jobs []job) error {
				return storeMany(ctx, s, jobs)
			})
		},
	} {
		some, err := t.untilAllHaveRun(ctx, s, y, submit)
		if err != nil {
			return nil, err
		}
		figures = append(figures, some...)
	}
	return figures, nil
}

func (t *trial) submitEach(ctx context.Context, s session, total int) error {
	return shared(ctx, t.sizes.few, total, func(ctx context.Context, _ int) error {
		return s.Store(ctx, job{N: t.next()})
	})
}

// untilAllHaveRun is how many tasks are run in a second, and the processor time of each.
func (t *trial) untilAllHaveRun(
	ctx context.Context, s session, y *tally, submit func() error,
) ([]float64, error) {
	total := t.sizes.forgotten
	y.aim(total)
	before, begun := measureUsage(s.Servers(), nil), time.Now()
	if err := submit(); err != nil {
		return nil, err
	}
	if err := y.wait(ctx); err != nil {
		return nil, err
	}
	rate := float64(total) / time.Since(begun).Seconds()
	if err := pause(ctx, settling); err != nil {
		return nil, err
	}
	all, servers := measureUsage(s.Servers(), nil).since(before, total)
	return []float64{rate, all, servers}, nil
}
