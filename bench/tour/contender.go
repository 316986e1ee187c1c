package main

import (
	"context"
	"sync"
	"time"

	"github.com/punctual-go/punctual/executor"
)

// contender is one system that runs the job.
type contender struct {
	name    string
	short   string // for the progress display
	about   string // what it does, in a clause
	verdict string // what became of the stall, in a few words

	// start has the job run until ctx ends or close is called, which waits for the run in progress.
	start func(ctx context.Context, j *journal) (close func() error, err error)

	planned func(sc scenario, runs []mark) int
	missed  func(planned int, runs []mark) int
}

func contenders() []contender {
	return []contender{
		{
			name:    "time.Ticker",
			short:   "ticker",
			about:   "a goroutine that loops over a ticker: ticks it cannot take in time are lost",
			verdict: "ticks lost, nobody told",
			start:   startTicker,
			planned: everyPeriod,
			missed:  notRun,
		},
		{
			name:    "AtFixedRate Burst",
			short:   "burst",
			about:   "every period gets its run: those missed are made up for, back to back",
			verdict: "all made up for at once",
			start:   atFixedRate(executor.Burst),
			planned: everyPeriod,
			missed:  stillOwed,
		},
		{
			name:    "AtFixedRate Skip",
			short:   "skip",
			about:   "periods missed are dropped, and the next run is told how many",
			verdict: "dropped, next run told",
			start:   atFixedRate(executor.Skip),
			planned: everyPeriod,
			missed:  told,
		},
		{
			name:    "AtFixedRate Coalesce",
			short:   "coalesce",
			about:   "one run at once stands for all periods missed, and is told how many",
			verdict: "one late run for them all",
			start:   atFixedRate(executor.Coalesce),
			planned: everyPeriod,
			missed:  told,
		},
		{
			name:    "WithFixedDelay",
			short:   "delay",
			about:   "each run is planned when the last has ended: nothing missed, but it drifts",
			verdict: "plans moved, none missed",
			start:   withFixedDelay,
			planned: everyRun,
			missed:  told,
		},
	}
}

// startTicker is what Go programs write by hand.
func startTicker(ctx context.Context, j *journal) (func() error, error) {
	ctx, cancel := context.WithCancel(ctx)
	ticker := time.NewTicker(j.period)
	var loop sync.WaitGroup
	loop.Go(func() {
		defer ticker.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case planned := <-ticker.C: // the time of the tick, not that of its arrival here
				j.run(ctx, planned, 0)
			}
		}
	})
	return func() error { cancel(); loop.Wait(); return nil }, nil
}

func atFixedRate(policy executor.CatchUpPolicy) func(context.Context, *journal) (func() error, error) {
	return func(ctx context.Context, j *journal) (func() error, error) {
		// Each system has a pool of one worker to itself, so that none disturbs another.
		pool := executor.NewScheduledPool(1, executor.BaseContext(ctx))
		_, err := pool.AtFixedRate(j.period, j.period, j.task, executor.CatchUp(policy))
		return pool.Close, err
	}
}

func withFixedDelay(ctx context.Context, j *journal) (func() error, error) {
	pool := executor.NewScheduledPool(1, executor.BaseContext(ctx))
	_, err := pool.WithFixedDelay(j.period, j.period, j.task)
	return pool.Close, err
}

// task is the job as a pool runs it: the pool tells when the run was planned.
func (j *journal) task(ctx context.Context) error {
	run, _ := executor.RunFrom(ctx)
	j.run(ctx, run.Scheduled, run.Missed)
	return nil
}
