package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/punctual-go/punctual/executor"
)

const (
	patience = 300 * time.Millisecond // of the close
	overtime = 700 * time.Millisecond // of a task that will not be hurried
)

// shutdown closes the pool under a task that is not due and one that will not end in time.
func (g *guide) shutdown(ctx context.Context) error {
	if err := g.occupy(ctx); err != nil {
		return err
	}
	start := time.Now()
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	report, err := g.pool.CloseContext(limit)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	took := time.Since(start)
	return errors.Join(
		g.show(step{"CloseContext", fmt.Sprintf("%v, %v", err, roughly(took)),
			"it waits for running tasks, as long as asked", took,
			errors.Is(err, context.DeadlineExceeded)}),
		g.showDropped(report.Dropped),
		g.showRunning(report.Running),
		g.showEnd(ctx, start),
	)
}

// occupy gives the pool a task for later, and one that has begun when occupy returns.
func (g *guide) occupy(ctx context.Context) error {
	_, err := g.pool.Schedule(time.Hour, func(context.Context) error { return nil },
		executor.Name("hourly report"))
	if err != nil {
		return err
	}
	begun := make(chan struct{})
	_, err = g.pool.Submit(func(context.Context) error {
		close(begun)
		return pause(ctx, overtime) // not the context of the run: it does not heed the pool
	}, executor.Name("slow export"))
	if err != nil {
		return err
	}
	select {
	case <-begun:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g *guide) showDropped(dropped []executor.Pending) error {
	s := step{Call: "Report.Dropped", Outcome: "nothing", About: "never started: handed back, not lost"}
	if len(dropped) > 0 {
		d := dropped[0]
		s.Outcome = fmt.Sprintf("%s, due in %v", d.Name, time.Until(d.Scheduled).Round(time.Minute))
		s.AsPromised = len(dropped) == 1 && d.Name == "hourly report"
	}
	return g.show(s)
}

func (g *guide) showRunning(running []executor.Running) error {
	s := step{Call: "Report.Running", Outcome: "nothing", About: "still at work: asked to end, not killed"}
	if len(running) > 0 {
		r := running[0]
		s.Outcome = fmt.Sprintf("%s, for %v", r.Name, roughly(r.For))
		s.Elapsed = r.For
		s.AsPromised = len(running) == 1 && r.Name == "slow export"
	}
	return g.show(s)
}

func (g *guide) showEnd(ctx context.Context, start time.Time) error {
	select {
	case <-g.pool.Terminated():
	case <-ctx.Done():
		return ctx.Err()
	}
	took, state := time.Since(start), g.pool.Stats().State
	return g.show(step{"Terminated", fmt.Sprintf("pool %s after %v", state, roughly(took)),
		"its last task has ended, no goroutine is left", took, state == "terminated"})
}
