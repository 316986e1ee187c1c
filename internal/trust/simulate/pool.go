package simulate

import (
	"context"
	"testing"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/internal/trust/lifo"
)

func simulatePool(t *testing.T, seed uint64, ops int) Report {
	return simulate(t, seed, ops, func(sim *simulation) {
		es := newExecutorSim(sim)
		core := sim.rng.IntN(5)
		es.size = max(core, 1)
		es.ordered = true
		es.maxWorkers, es.capacity = es.size, -1
		opts := append(es.options(), es.drawQueue()...)
		if es.capacity < 0 && es.oneIn(6) {
			limit := 1 + es.rng.IntN(12)
			es.bounded, es.capacity, es.pendingLimit = true, limit, true
			opts = append(opts, executor.PendingLimit(limit))
		}
		if es.fixedSize {
			es.maxWorkers += es.rng.IntN(4)
			opts = append(opts, executor.MaximumSize(es.maxWorkers))
		}
		if es.fixedSize && es.oneIn(4) {
			es.size = es.maxWorkers
			opts = append(opts, executor.GrowFirst())
		}
		if es.bounded {
			opts = append(opts, es.drawPolicy())
		}
		es.singleWorker = es.maxWorkers == 1 && !es.callerRuns
		pool := executor.NewPool(core, opts...)
		es.executor, es.pool = pool, pool
		es.stats = poolStats(pool)
		es.maxBodies = es.maxWorkers
		es.drive()
	})
}

// drawQueue draws where tasks wait. Sizes change in a simulation only where they alone say how many
// workers there are.
func (es *executorSim) drawQueue() []executor.Option {
	var q queue.Queue
	switch es.rng.IntN(8) {
	case 0, 1:
		return nil // the fast one
	case 2:
		q = queue.HandOff()
		es.bounded, es.capacity = true, 0
	case 3, 4:
		es.bounded, es.capacity = true, es.rng.IntN(6)
		q = queue.Bounded(es.capacity)
	case 5:
		q, es.byPriority = queue.Priority(), true
	case 6:
		es.bounded, es.capacity = true, 1+es.rng.IntN(6)
		q, es.byPriority = queue.Priority().Bounded(es.capacity), true
	case 7:
		q = queue.Custom(func() queue.WorkQueue { return new(lifo.Queue) })
		es.ordered = false
	}
	es.fixedSize = true
	return []executor.Option{executor.Queue(q)}
}

// drawPolicy draws the rejection policy.
func (es *executorSim) drawPolicy() executor.Option {
	es.callerRuns, es.discards = false, false
	switch es.rng.IntN(7) {
	case 0:
		es.callerRuns, es.noExits = true, true
		return executor.OnRejection(rejection.CallerRuns)
	case 1:
		es.discards = true
		return executor.OnRejection(rejection.Discard)
	case 2:
		es.discards = true
		return executor.OnRejection(rejection.DiscardOldest)
	case 3:
		es.callerRuns, es.noExits = true, true // tasks of the pool do not wait
		return executor.OnRejection(rejection.Block)
	case 4:
		es.callerRuns, es.noExits, es.discards = true, true, true
		return executor.OnRejection(es.retryThenDiscard)
	default:
		return executor.OnRejection(rejection.Abort)
	}
}

// retryThenDiscard is a rejection policy that retries, waits for room, and gives up in the end.
func (es *executorSim) retryThenDiscard(r *rejection.Task) error {
	if r.Retry() == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), grid)
	defer cancel()
	if r.Wait(ctx) != nil {
		r.Discard()
	}
	return nil
}
