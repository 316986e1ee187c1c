package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// early is the column of how many tasks begin before their time, which none should.
const early = "too early, %"

func lateness(size sizes) workload {
	return workload{
		name:  "lateness",
		title: "Lateness",
		note: fmt.Sprintf("%d tasks, %d of them due in a second, scheduled at once for %v to %v "+
			"ahead: from the due time to the begin of the function.", size.late, size.rate,
			size.ahead, size.ahead+time.Duration(size.late/size.rate)*time.Second),
		columns: []column{
			{title: "p50, ms", ratio: true}, {title: "p99, ms", ratio: true},
			{title: "max, ms", ratio: true}, {title: early},
		},
		fits:    everyone,
		measure: measureLateness,
	}
}

func measureLateness(ctx context.Context, t *trial) ([]float64, error) {
	total := t.sizes.late
	w := &watcher{late: map[int]time.Duration{}, total: total, done: make(chan struct{})}
	t.site.body = w.began
	s, err := t.open(ctx)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	first := time.Now().Add(t.sizes.ahead)
	gap := time.Second / time.Duration(t.sizes.rate)
	err = shared(ctx, t.sizes.clients, total, func(ctx context.Context, i int) error {
		due := first.Add(time.Duration(i) * gap)
		if err := s.Store(ctx, job{N: t.next(), Due: due}); err != nil {
			return err
		}
		if now := time.Now(); now.After(due) {
			return fmt.Errorf("a task was stored %v after it was due", now.Sub(due))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return w.wait(ctx)
}

// watcher notes how late the first attempt of each task begins.
type watcher struct {
	total int
	done  chan struct{} // closed when all have begun

	mu   sync.Mutex
	late map[int]time.Duration
}

func (w *watcher) began(j job) {
	now := time.Now()
	if j.Due.IsZero() {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, again := w.late[j.N]; again {
		return
	}
	w.late[j.N] = now.Sub(j.Due)
	if len(w.late) == w.total {
		close(w.done)
	}
}

func (w *watcher) wait(ctx context.Context) ([]float64, error) {
	select {
	case <-w.done:
	case <-ctx.Done():
		w.mu.Lock()
		defer w.mu.Unlock()
		return nil, fmt.Errorf("%d of %d tasks have begun: %w", len(w.late), w.total,
			context.Cause(ctx))
	}
	var all []float64
	before := 0
	for _, d := range w.late {
		all = append(all, milliseconds(d))
		if d < 0 {
			before++
		}
	}
	return []float64{
		quantile(all, 0.5), quantile(all, 0.99), quantile(all, 1),
		100 * float64(before) / float64(len(all)),
	}, nil
}
