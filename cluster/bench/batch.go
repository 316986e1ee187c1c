package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"
)

// A batcher is a session with a call that stores many tasks.
type batcher interface {
	StoreMany(ctx context.Context, jobs []job) error
	// StoreManyBlind does not learn their IDs.
	StoreManyBlind(ctx context.Context, jobs []job) error
}

func batches(size sizes) workload {
	columns := append([]column{{title: "tasks/s", ratio: true}}, processorColumns()...)
	return workload{
		name:  "batch",
		title: "Arming in batches",
		note: fmt.Sprintf("%d tasks an hour ahead. One goroutine hands over %d at a time, and waits "+
			"until all of them are stored. River has a call for that, `InsertMany`, and if no IDs "+
			"are needed `InsertManyFast`. The others have none, so each task is stored by a "+
			"goroutine of its own: ours batches what waits, asynq sends each alone.", size.armed,
			size.batch),
		columns: append(columns, column{title: "without IDs, tasks/s", some: true}),
		fits:    untuned,
		measure: measureBatches,
	}
}

func measureBatches(ctx context.Context, t *trial) ([]float64, error) {
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	total := t.sizes.armed
	before, begun := measureUsage(s.Servers(), nil), time.Now()
	err = t.inBatches(total, anHourAhead, func(jobs []job) error { return storeMany(ctx, s, jobs) })
	if err != nil {
		return nil, err
	}
	rate := float64(total) / time.Since(begun).Seconds()
	all, servers := measureUsage(s.Servers(), nil).since(before, total)
	blind := math.NaN()
	if b, ok := s.(batcher); ok {
		begun = time.Now()
		err = t.inBatches(total, anHourAhead, func(jobs []job) error {
			return b.StoreManyBlind(ctx, jobs)
		})
		blind = float64(total) / time.Since(begun).Seconds()
	}
	return []float64{rate, all, servers, blind}, err
}

// atOnce and anHourAhead are when tasks are due.
func atOnce() time.Time      { return time.Time{} }
func anHourAhead() time.Time { return time.Now().Add(time.Hour) }

// inBatches hands over new tasks, so many at a time.
func (t *trial) inBatches(total int, due func() time.Time, store func([]job) error) error {
	for stored := 0; stored < total; {
		jobs := make([]job, min(t.sizes.batch, total-stored))
		for i := range jobs {
			jobs[i] = job{N: t.next(), Due: due()}
		}
		if err := store(jobs); err != nil {
			return err
		}
		stored += len(jobs)
	}
	return nil
}

// storeMany stores tasks in one call, or with a goroutine for each.
func storeMany(ctx context.Context, s session, jobs []job) error {
	if b, ok := s.(batcher); ok {
		return b.StoreMany(ctx, jobs)
	}
	g, ctx := errgroup.WithContext(ctx)
	for _, j := range jobs {
		g.Go(func() error { return s.Store(ctx, j) })
	}
	return g.Wait()
}
