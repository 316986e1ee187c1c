package simulate

import (
	"context"
	"log/slog"
	"testing"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/internal/shardcount"
)

var silent = slog.New(slog.DiscardHandler)

// newExecutorSim draws what is common to all executor simulations.
func newExecutorSim(sim *simulation) *executorSim {
	return &executorSim{
		simulation: sim,
		arena:      make([]task, sim.ops),
		maxWork:    2 + sim.rng.IntN(16),
		maxPause:   2 + sim.rng.IntN(12),
	}
}

func simulateScheduled(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		es := newExecutorSim(sim)
		core := sim.rng.IntN(5)
		es.size = max(core, 1)
		es.maxWorkers, es.capacity = es.size, -1
		es.singleWorker = es.size == 1
		es.ordered = true
		es.asksRuns = es.oneIn(2)
		opts := append(es.options(), executor.MaximumSize(8))
		if es.oneIn(8) {
			es.bounded = true
			opts = append(opts, executor.PendingLimit(1+es.rng.IntN(20)))
		}
		shardcount.Draw(es.rng.IntN)
		pool := executor.NewScheduledPool(core, opts...)
		es.executor, es.scheduler, es.pool = pool, pool, &pool.Pool
		es.stats = poolStats(&pool.Pool)
		es.maxBodies = es.size
		es.drive()
	})
}

// options draws options for a pool.
func (es *executorSim) options() []executor.Option {
	opts := []executor.Option{executor.Logger(silent)}
	if es.oneIn(2) {
		opts = append(opts, executor.ErrorHandler(func(context.Context, executor.Run, error) {}))
	}
	if es.oneIn(3) {
		opts = append(opts, executor.KeepAlive(es.steps(8)+grid))
		if es.oneIn(2) {
			opts = append(opts, executor.CoreTimeout())
		}
	}
	if es.oneIn(4) {
		ctx, cancel := context.WithCancel(context.Background())
		es.cancelBase = cancel
		opts = append(opts, executor.BaseContext(ctx))
	}
	for _, o := range es.watch() {
		opts = append(opts, o)
	}
	if es.oneIn(4) {
		es.hooked = true
		opts = append(opts,
			executor.BeforeRun(func(context.Context, executor.Run) { es.before.Add(1) }),
			executor.AfterRun(func(context.Context, executor.Run, error) { es.after.Add(1) }),
			executor.AfterTermination(func() {}))
	}
	return opts
}

func poolStats(p *executor.Pool) func() counts {
	return func() counts {
		c := p.Stats()
		return counts{c.Busy, c.Queued, c.Accepted, c.Completed, c.Cancelled, c.Returned, c.Runs}
	}
}
