package history

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/goid"
)

// poolTask is a task, and what its body shows.
type poolTask struct {
	number int
	yields int
	gate   chan struct{} // nil, or what the body waits for
	future *future.Future[struct{}]
	timed  *executor.ScheduledFuture[struct{}] // nil if it was not scheduled

	runs       atomic.Int32
	worker     [2]uint64   // the goroutines of its bodies
	begin, end [2]struct { // of the first two runs: more than one are a fault
		stamp int64
		clock time.Duration
	}
}

// identityContext is a context that asks a body who it is, as ShutdownNow hands back nothing but
// that.
type identityContext struct {
	context.Context
	task int
}

// newTask returns a task that most often is short.
func (w *poolWorkload) newTask(c *client) *poolTask {
	t := &poolTask{yields: max(0, c.rng.IntN(80)-40)}
	w.mu.Lock()
	defer w.mu.Unlock()
	t.number = len(w.tasks)
	w.tasks = append(w.tasks, t)
	return t
}

// body is what the task runs.
func (w *poolWorkload) body(t *poolTask) executor.Task {
	return func(ctx context.Context) error {
		if who, ok := ctx.(*identityContext); ok {
			who.task = t.number
			return nil
		}
		run := int(t.runs.Add(1)) - 1
		if run >= len(t.begin) {
			return nil
		}
		begin, end := &t.begin[run], &t.end[run]
		begin.clock = w.now()
		begin.stamp = w.stamp.Add(1)
		t.worker[run] = goid.Number()
		yield(t.yields)
		if t.gate != nil {
			<-t.gate
		}
		end.stamp = w.stamp.Add(1)
		end.clock = w.now()
		return nil
	}
}

// bodies returns what the bodies have shown, each as a client of its own.
func (w *poolWorkload) bodies(clients int) (notes []Note) {
	workers := map[uint64]int{}
	for _, t := range w.tasks {
		for run := range min(int(t.runs.Load()), len(t.begin)) {
			if _, known := workers[t.worker[run]]; !known {
				workers[t.worker[run]] = len(workers) + 1
			}
			out := PoolOutput{Worker: workers[t.worker[run]]}
			note := func(op PoolOp, stamp int64, clock time.Duration) {
				notes = append(notes, Note{
					Client: clients + t.number, Call: stamp, Return: stamp, From: clock, To: clock,
					Input: PoolInput{Op: op, Task: t.number}, Output: out,
				})
			}
			note(PoolBegin, t.begin[run].stamp, t.begin[run].clock)
			note(PoolEnd, t.end[run].stamp, t.end[run].clock)
		}
	}
	return notes
}
