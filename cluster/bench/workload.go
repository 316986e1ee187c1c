package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// A workload is what systems are measured by.
type workload struct {
	name    string // for -only
	title   string
	note    string
	columns []column
	fits    func(system) bool
	once    bool // in the first round only, as it takes long
	measure func(ctx context.Context, t *trial) ([]float64, error)
	// documented are rows of text: what others say of themselves.
	documented []row
}

// A column is a figure that a workload has for each system.
type column struct {
	title string
	ratio bool // to the first row
}

type row struct {
	system string
	cells  []string
}

// sizes are how much of everything there is.
type sizes struct {
	clients int           // goroutines that submit
	workers int           // of each system
	armed   int           // tasks an hour ahead
	spell   time.Duration // how long latency and throughput are measured
	late    int           // tasks whose lateness is measured
	rate    int           // of them in a second
	ahead   time.Duration // how long before the first of them is due
	pending int           // tasks when a server is started anew
	lease   time.Duration // of the task whose worker is killed
}

func full() sizes {
	return sizes{
		clients: 256, workers: 256, armed: 20_000, spell: 5 * time.Second,
		late: 2_000, rate: 400, ahead: time.Second, pending: 100_000, lease: 2 * time.Second,
	}
}

func quick() sizes {
	return sizes{
		clients: 16, workers: 16, armed: 200, spell: 500 * time.Millisecond,
		late: 200, rate: 400, ahead: time.Second, pending: 500, lease: 500 * time.Millisecond,
	}
}

func untuned(s system) bool    { return !s.tuned }
func everyone(system) bool     { return true }
func oneProcess(s system) bool { return s.alone }

func workloads(size sizes) []workload {
	return []workload{
		arming(size), latency(size), throughput(size), lateness(size), restart(size), death(size),
	}
}

// A trial is one measurement of one system.
type trial struct {
	system system
	sizes  sizes
	site   *site
	last   atomic.Int64 // number of a task
}

func (t *trial) next() int { return int(t.last.Add(1)) }

// open starts the system, and lets it run a task, so that everything is in place.
func (t *trial) open(ctx context.Context) (session, error) {
	s, err := t.system.start(ctx, t.site)
	if err != nil {
		return nil, err
	}
	if err := t.do(ctx, s); err != nil {
		s.Close()
		return nil, fmt.Errorf("the first task: %w", err)
	}
	return s, nil
}

// do lets a task run and checks its result.
func (t *trial) do(ctx context.Context, s session) error {
	n := t.next()
	result, err := s.Do(ctx, n)
	if err == nil && result != n+1 {
		err = fmt.Errorf("the result of task %d is %d", n, result)
	}
	return err
}

// shared lets goroutines do something total times.
func shared(
	ctx context.Context, goroutines, total int, do func(context.Context, int) error,
) error {
	var given atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range goroutines {
		g.Go(func() error {
			for {
				i := int(given.Add(1)) - 1
				if i >= total {
					return nil
				}
				if err := do(ctx, i); err != nil {
					return err
				}
			}
		})
	}
	return g.Wait()
}

// arm stores tasks an hour ahead.
func (t *trial) arm(ctx context.Context, s session, callers, total int) error {
	return shared(ctx, callers, total, func(ctx context.Context, _ int) error {
		return s.Schedule(ctx, time.Now().Add(time.Hour), t.next())
	})
}
