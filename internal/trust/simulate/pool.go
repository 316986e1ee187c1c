package simulate

import (
	"context"
	"iter"
	"slices"
	"testing"

	"github.com/punctual-go/punctual/executor"
)

func playPool(t *testing.T, seed uint64, ops int) Report {
	return play(t, seed, ops, func(w *world) {
		s := newShop(w)
		core := w.rng.IntN(5)
		s.size = max(core, 1)
		s.sorted = true
		s.most, s.capacity = s.size, -1
		opts := append(s.options(), s.drawQueue()...)
		if s.capacity < 0 && s.oneIn(6) {
			limit := 1 + s.rng.IntN(12)
			s.limited, s.capacity, s.tight = true, limit, true
			opts = append(opts, executor.PendingLimit(limit))
		}
		if s.fixed {
			s.most += s.rng.IntN(4)
			opts = append(opts, executor.MaximumSize(s.most))
		}
		if s.fixed && s.oneIn(4) {
			s.size = s.most
			opts = append(opts, executor.GrowFirst())
		}
		if s.limited {
			opts = append(opts, s.drawPolicy())
		}
		s.single = s.most == 1 && !s.callerRuns
		pool := executor.NewPool(core, opts...)
		s.exec, s.pool = pool, pool
		s.stats = poolStats(pool)
		s.allowed = s.most
		s.drive()
	})
}

// drawQueue draws where tasks wait. Sizes change in a world only where they alone say how many workers there are.
func (s *shop) drawQueue() []executor.Option {
	var queue executor.Queue
	switch s.rng.IntN(8) {
	case 0, 1:
		return nil // the fast one
	case 2:
		queue = executor.HandOff()
		s.limited, s.capacity = true, 0
	case 3, 4:
		s.limited, s.capacity = true, s.rng.IntN(6)
		queue = executor.BoundedFIFO(s.capacity)
	case 5:
		queue, s.ranked = executor.PriorityFIFO(), true
	case 6:
		s.limited, s.capacity = true, 1+s.rng.IntN(6)
		queue, s.ranked = executor.PriorityFIFO().Bounded(s.capacity), true
	case 7:
		queue = executor.CustomQueue(func() executor.WorkQueue { return new(stack) })
		s.sorted = false
	}
	s.fixed = true
	return []executor.Option{queue}
}

// drawPolicy draws what becomes of tasks for which there is no room.
func (s *shop) drawPolicy() executor.Option {
	s.callerRuns, s.discards = false, false
	switch s.rng.IntN(7) {
	case 0:
		s.callerRuns, s.noExits = true, true
		return executor.OnRejection(executor.CallerRuns)
	case 1:
		s.discards = true
		return executor.OnRejection(executor.Discard)
	case 2:
		s.discards = true
		return executor.OnRejection(executor.DiscardOldest)
	case 3:
		s.callerRuns, s.noExits = true, true // tasks of the pool do not wait
		return executor.OnRejection(executor.Block)
	case 4:
		s.callerRuns, s.noExits, s.discards = true, true, true
		return executor.OnRejection(s.hesitate)
	default:
		return executor.OnRejection(executor.Abort)
	}
}

// hesitate is a policy that tries this and that.
func (s *shop) hesitate(r *executor.Rejection) error {
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

// stack is a queue of the user's own: who comes last is first.
type stack struct{ tasks []executor.Queued }

func (q *stack) Push(t executor.Queued) { q.tasks = append(q.tasks, t) }

func (q *stack) Pop() executor.Queued {
	if len(q.tasks) == 0 {
		return nil
	}
	t := q.tasks[len(q.tasks)-1]
	q.tasks = q.tasks[:len(q.tasks)-1]
	return t
}

func (q *stack) Remove(t executor.Queued) bool {
	i := slices.Index(q.tasks, t)
	if i < 0 {
		return false
	}
	q.tasks = slices.Delete(q.tasks, i, i+1)
	return true
}

func (q *stack) Len() int { return len(q.tasks) }

func (q *stack) All() iter.Seq[executor.Queued] {
	return func(yield func(executor.Queued) bool) {
		for _, t := range slices.Backward(q.tasks) {
			if !yield(t) {
				return
			}
		}
	}
}
