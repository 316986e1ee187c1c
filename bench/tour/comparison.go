package main

import (
	"context"
	"errors"
	"time"
)

// lookEvery is how often a comparison tells how far it is.
const lookEvery = 100 * time.Millisecond

// watcher is told, from time to time, how long the comparison has been running and how many runs
// each system has begun.
type watcher func(elapsed time.Duration, runs []int)

// compare runs the scenario on all contenders at once and returns what became of them, in their
// order. When ctx ends it returns its error, promptly, with every system closed.
func compare(ctx context.Context, sc scenario, cs []contender, watch watcher) (_ []system, err error) {
	start := time.Now()
	journals := make([]*journal, len(cs))
	closers := make([]func() error, 0, len(cs))
	closeAll := func() (err error) {
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		closers = nil
		return err
	}
	defer func() { err = errors.Join(err, closeAll()) }()
	for i, c := range cs {
		journals[i] = &journal{scenario: sc, start: start}
		stop, err := c.start(ctx, journals[i])
		closers = append(closers, stop)
		if err != nil {
			return nil, err
		}
	}
	if err := follow(ctx, start, sc.window(), journals, watch); err != nil {
		return nil, err
	}
	if err := closeAll(); err != nil {
		return nil, err
	}
	systems := make([]system, len(cs))
	for i, c := range cs {
		systems[i] = measure(c, sc, journals[i].inWindow())
	}
	return systems, ctx.Err()
}

// follow waits for the end of the window and reports meanwhile.
func follow(ctx context.Context, start time.Time, window time.Duration, js []*journal, watch watcher) error {
	looks := time.NewTicker(lookEvery)
	defer looks.Stop()
	end := time.NewTimer(window - time.Since(start))
	defer end.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-end.C:
			return nil
		case <-looks.C:
			runs := make([]int, len(js))
			for i, j := range js {
				runs[i] = j.count()
			}
			watch(time.Since(start), runs)
		}
	}
}
