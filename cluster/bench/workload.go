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
	needs   func() string // says what is missing for all systems; nil if nothing can be
	once    bool          // in the first round only, as it takes long
	measure func(ctx context.Context, t *trial) ([]float64, error)
	// documented are rows of text: what others say of themselves.
	documented []row
}

// A column is a figure that a workload has for each system.
type column struct {
	title string
	ratio bool // to the first row
	some  bool // not every system has it
}

type row struct {
	system string
	cells  []string
}

// sizes are how much of everything there is.
type sizes struct {
	clients int           // goroutines that wait for results
	workers int           // of each system
	spell   time.Duration // how long latency and throughput are measured

	few, many int           // goroutines that only submit
	short     time.Duration // how long they do
	armed     int           // tasks an hour ahead, in batches
	batch     int           // of them at a time
	forgotten int           // tasks without results

	hands int           // workers of each of four processes
	nap   time.Duration // what a task takes there
	naps  int           // how many there are

	late    int           // tasks whose lateness is measured
	rate    int           // of them in a second
	ahead   time.Duration // how long before the first of them is due
	pending int           // tasks when a server is started anew
	lease   time.Duration // of the task whose worker is killed
}

func full() sizes {
	return sizes{
		clients: 256, workers: 256, spell: 5 * time.Second,
		few: 64, many: 1024, short: time.Second,
		armed: 20_000, batch: 1000, forgotten: 6_000,
		hands: 8, nap: 100 * time.Millisecond, naps: 800,
		late: 2_000, rate: 400, ahead: time.Second, pending: 100_000, lease: 2 * time.Second,
	}
}

func quick() sizes {
	return sizes{
		clients: 16, workers: 16, spell: 500 * time.Millisecond,
		few: 8, many: 32, short: 200 * time.Millisecond,
		armed: 200, batch: 50, forgotten: 200,
		hands: 2, nap: 10 * time.Millisecond, naps: 40,
		late: 200, rate: 400, ahead: time.Second, pending: 500, lease: 500 * time.Millisecond,
	}
}

func untuned(s system) bool    { return !s.tuned }
func everyone(system) bool     { return true }
func oneProcess(s system) bool { return s.alone }

func workloads(size sizes) []workload {
	return []workload{
		arming(size), batches(size), forget(size), crew(size), transactions(size), unsynced(size),
		latency(size), throughput(size), lateness(size), restart(size), death(size),
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
		return t.store(ctx, s)
	})
}

// store stores a task an hour ahead.
func (t *trial) store(ctx context.Context, s session) error {
	return s.Store(ctx, job{N: t.next(), Due: anHourAhead()})
}

// during lets goroutines do something for a while: how often, and how often in a second.
func during(
	ctx context.Context, goroutines int, d time.Duration, do func(context.Context) error,
) (n int, rate float64, err error) {
	var done atomic.Int64
	begun := time.Now()
	g, ctx := errgroup.WithContext(ctx)
	for range goroutines {
		g.Go(func() error {
			for time.Since(begun) < d {
				if err := do(ctx); err != nil {
					return err
				}
				done.Add(1)
			}
			return nil
		})
	}
	err = g.Wait()
	return int(done.Load()), float64(done.Load()) / time.Since(begun).Seconds(), err
}
