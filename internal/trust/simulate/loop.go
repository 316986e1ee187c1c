package simulate

import (
	"context"
	"testing"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
)

func simulateLoop(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		es := newExecutorSim(sim)
		es.size, es.maxWorkers, es.maxBodies = 1, 1, 1
		es.capacity = -1
		es.singleWorker, es.ordered = true, true
		es.asksRuns = es.oneIn(2)
		opts := []eventloop.Option{executor.Logger(silent)}
		if es.oneIn(2) {
			opts = append(opts, executor.ErrorHandler(func(context.Context, executor.Run,
				error) {
			}))
		}
		for _, o := range es.watch() {
			opts = append(opts, o)
		}
		loop := eventloop.New(opts...)
		es.executor, es.scheduler, es.loop = loop, loop, loop
		es.stats = func() counts {
			c := loop.Stats()
			return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned,
				c.Runs}
		}
		es.drive()
	})
}

// closeGracefully ends a loop once it has been quiet for a while. Until then it accepts tasks.
func (es *executorSim) closeGracefully() {
	quiet := es.steps(10)
	es.mu.Lock()
	es.closing, es.closedAt, es.dropDelayed = true, es.advanceLocked(), true
	es.acceptsClosing, es.dropsUnlisted, es.lastProgress = true, true, never
	es.mu.Unlock()
	if err := es.loop.ShutdownGracefully(quiet, quiet+es.steps(20)); err != nil {
		es.fault(&es.report.Lost, "to shut down gracefully: %v", err)
	}
	for range es.rng.IntN(6) {
		if t := es.drawTask(); t != nil {
			es.submit(t)
		}
		time.Sleep(es.steps(8))
	}
}
