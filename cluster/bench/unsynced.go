package main

import (
	"context"
	"fmt"
	"time"
)

func unsynced(size sizes) workload {
	w := workload{
		name:  "unsynced",
		title: "Without waiting for the disk",
		note: fmt.Sprintf("Here, and only here, each acknowledges before its disk has the data. "+
			"nats-server syncs every two minutes, its default, and a power failure may lose as "+
			"much; PostgreSQL has fsync on and `synchronous_commit` off, and may lose the last "+
			"0.6 s; Redis writes no file at all, and loses everything when its process ends. "+
			"`embedded` always syncs, and is left out. Stored are tasks an hour ahead, in tasks/s, "+
			"for %v each; the unique ones by `Once`, `UniqueOpts` and `Unique`, each with a key of "+
			"its own. Run are %d tasks, due at once, from %d goroutines, as in fire and forget; "+
			"the processor time is that of these.", size.short, size.forgotten, size.few),
		columns: []column{
			{title: "stored, 1 caller", ratio: true},
			{title: fmt.Sprintf("stored, %d callers", size.few), ratio: true},
			{title: fmt.Sprintf("unique, %d callers", size.few), ratio: true},
			{title: "run, tasks/s", ratio: true},
		},
		fits:    func(s system) bool { return s.join != nil },
		measure: measureUnsynced,
	}
	w.columns = append(w.columns, processorColumns()...)
	return w
}

func measureUnsynced(ctx context.Context, t *trial) ([]float64, error) {
	y := newTally()
	t.site.body, t.site.unsynced = y.count, true
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	run, err := t.untilAllHaveRun(ctx, s, y, func() error {
		return t.submitEach(ctx, s, t.sizes.forgotten)
	})
	if err != nil {
		return nil, err
	}
	var rates []float64
	for _, c := range []struct {
		callers int
		store   func(context.Context, job) error
	}{{1, s.Store}, {t.sizes.few, s.Store}, {t.sizes.few, s.StoreOnce}} {
		_, rate, err := during(ctx, c.callers, t.sizes.short, func(ctx context.Context) error {
			return c.store(ctx, job{N: t.next(), Due: time.Now().Add(time.Hour)})
		})
		if err != nil {
			return nil, err
		}
		rates = append(rates, rate)
	}
	return append(rates, run...), nil
}
