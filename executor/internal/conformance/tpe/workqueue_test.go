package tpe_test

import (
	"context"
	"iter"
	"log/slog"
	"math"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// wqPool is a pool of one worker that is busy until start is called; what waits then runs in the
// order of the queue, which ran returns.
type wqPool struct {
	*executor.Pool
	start func()

	mu  sync.Mutex
	ran []string
}

// wqNew returns such a pool, which is closed at the end of the bubble.
func wqNew(t *testing.T, opts ...executor.Option) *wqPool {
	t.Helper()
	gate := make(chan struct{})
	p := &wqPool{
		Pool:  executor.NewPool(1, append(opts, executor.Logger(slog.New(slog.DiscardHandler)))...),
		start: sync.OnceFunc(func() { close(gate) }),
	}
	t.Cleanup(func() {
		p.start()
		assert.NoError(t, p.Close())
		s := p.Stats()
		assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned, "%+v", s)
	})
	require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
	synctest.Wait()
	return p
}

func (p *wqPool) body(name string) executor.Task {
	return func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ran = append(p.ran, name)
		return nil
	}
}

func (p *wqPool) submit(t *testing.T, name string, opts ...executor.TaskOption) *future.Future[struct{}] {
	t.Helper()
	f, err := p.Submit(p.body(name), append(opts, executor.Name(name))...)
	require.NoError(t, err)
	return f
}

func (p *wqPool) submitAll(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		p.submit(t, name)
	}
}

// order starts the pool and returns what runs.
func (p *wqPool) order() []string {
	p.start()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ran)
}

func TestPriorityFIFO_TheHighestPriorityRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.PriorityFIFO())
		for _, n := range []int{1, -3, 7, 2, -1} {
			p.submit(t, strconv.Itoa(n), executor.Priority(n))
		}
		require.NoError(t, p.Execute(p.body("0")), "without an option it is 0")
		assert.Equal(t, []string{"7", "2", "1", "0", "-1", "-3"}, p.order())
	})
}

func TestPriorityFIFO_AmongEqualsTheFirstThatCameRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.PriorityFIFO())
		const each = 50
		var want []string
		for priority := 2; priority >= 0; priority-- {
			for i := range each {
				want = append(want, strconv.Itoa(priority)+"/"+strconv.Itoa(i))
			}
		}
		for i := range each {
			for priority := range 3 {
				p.submit(t, strconv.Itoa(priority)+"/"+strconv.Itoa(i), executor.Priority(priority))
			}
		}
		assert.Equal(t, want, p.order())
	})
}

func TestPriorityFIFO_TheExtremesAreInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.PriorityFIFO())
		p.submit(t, "least", executor.Priority(math.MinInt))
		p.submit(t, "zero")
		p.submit(t, "most", executor.Priority(math.MaxInt))
		p.submit(t, "almost least", executor.Priority(math.MinInt+1))
		p.submit(t, "almost most", executor.Priority(math.MaxInt-1))
		assert.Equal(t, []string{"most", "almost most", "zero", "almost least", "least"}, p.order())
	})
}

func TestPriorityFIFO_ACancelledTaskLeavesTheOthersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for cancelled := range 7 {
			p := wqNew(t, executor.PriorityFIFO())
			var want []string
			var out *future.Future[struct{}]
			for i := range 7 {
				f := p.submit(t, strconv.Itoa(i), executor.Priority(10-i))
				if i == cancelled {
					out = f
				} else {
					want = append(want, strconv.Itoa(i))
				}
			}
			require.True(t, out.Cancel())
			assert.Equal(t, want, p.order(), "without %d", cancelled)
		}
	})
}

func TestPriorityFIFO_QueuedTellsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.PriorityFIFO())
		for i, n := range []int{1, 3, 2, 3} {
			p.submit(t, strconv.Itoa(n)+"abcd"[i:i+1], executor.Priority(n))
		}
		var names []string
		for _, pending := range p.Queued() {
			names = append(names, pending.Name)
		}
		assert.Equal(t, []string{"3b", "3d", "2c", "1a"}, names)
		assert.Equal(t, names, p.order())
	})
}

// wqStack is the queue of a user who wants the last task first.
type wqStack struct{ tasks []executor.Queued }

func wqStackQueue() executor.Queue {
	return executor.CustomQueue(func() executor.WorkQueue { return new(wqStack) })
}

func (q *wqStack) Push(t executor.Queued) { q.tasks = append(q.tasks, t) }
func (q *wqStack) Len() int               { return len(q.tasks) }

func (q *wqStack) Pop() executor.Queued {
	if len(q.tasks) == 0 {
		return nil
	}
	last := len(q.tasks) - 1
	t := q.tasks[last]
	q.tasks = q.tasks[:last]
	return t
}

func (q *wqStack) Remove(t executor.Queued) bool {
	i := slices.Index(q.tasks, t)
	if i < 0 {
		return false
	}
	q.tasks = slices.Delete(q.tasks, i, i+1)
	return true
}

func (q *wqStack) All() iter.Seq[executor.Queued] {
	return func(yield func(executor.Queued) bool) {
		for _, t := range slices.Backward(q.tasks) {
			if !yield(t) {
				return
			}
		}
	}
}

func TestCustomQueue_DecidesTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue())
		p.submitAll(t, "a", "b", "c")
		assert.Equal(t, []string{"c", "b", "a"}, p.order())
	})
}

func TestCustomQueue_ACancelledTaskIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue())
		p.submit(t, "a")
		b := p.submit(t, "b")
		p.submit(t, "c")
		require.True(t, b.Cancel())
		assert.Equal(t, 2, p.Stats().Queued)
		assert.Equal(t, []string{"c", "a"}, p.order())
	})
}

func TestCustomQueue_ShutdownNowHandsBackInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue())
		p.submitAll(t, "a", "b", "c")
		var names []string
		for _, pending := range p.ShutdownNow() {
			names = append(names, pending.Name)
		}
		assert.Equal(t, []string{"c", "b", "a"}, names)
		assert.Empty(t, p.order())
	})
}

func TestCustomQueue_DiscardOldestDropsWhatWouldRunNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue().Bounded(2), executor.OnRejection(executor.DiscardOldest))
		p.submitAll(t, "a", "b", "c")
		assert.Equal(t, []string{"c", "a"}, p.order())
	})
}

func TestCustomQueue_BoundedRefusesBeyondItsCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue().Bounded(2))
		p.submitAll(t, "a", "b")
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
		assert.Equal(t, []string{"b", "a"}, p.order())
	})
}

func TestCustomQueue_BoundedLetsThePoolGrowWhenItIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqStackQueue().Bounded(2), executor.MaximumSize(2))
		p.submitAll(t, "a", "b")
		assert.Equal(t, 1, p.Stats().Workers)
		p.submit(t, "c")
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Largest)
		assert.Equal(t, []string{"c", "b", "a"}, p.order())
	})
}

// The task that is too many is not the next to run.
func TestPriorityFIFO_BoundedLetsThePoolGrowForALowPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.PriorityFIFO().Bounded(2), executor.MaximumSize(2))
		p.submitAll(t, "a", "b")
		assert.Equal(t, 1, p.Stats().Workers)
		p.submit(t, "c", executor.Priority(-1))
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Largest)
		assert.Equal(t, []string{"a", "b", "c"}, p.order())
	})
}

// wqLanes has the tasks of one name wait for all others. It is made of queues of the package.
type wqLanes struct{ first, last executor.WorkQueue }

func wqLanesQueue() executor.WorkQueue {
	return &wqLanes{executor.PriorityFIFO().New(), executor.FIFO().New()}
}

func (q *wqLanes) of(t executor.Queued) executor.WorkQueue {
	if t.Name() == "patient" {
		return q.last
	}
	return q.first
}

func (q *wqLanes) Push(t executor.Queued)        { q.of(t).Push(t) }
func (q *wqLanes) Remove(t executor.Queued) bool { return q.of(t).Remove(t) }
func (q *wqLanes) Len() int                      { return q.first.Len() + q.last.Len() }

func (q *wqLanes) Pop() executor.Queued {
	if t := q.first.Pop(); t != nil {
		return t
	}
	return q.last.Pop()
}

func (q *wqLanes) All() iter.Seq[executor.Queued] {
	return func(yield func(executor.Queued) bool) {
		for _, lane := range []executor.WorkQueue{q.first, q.last} {
			for t := range lane.All() {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func TestCustomQueue_MayBeMadeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, executor.CustomQueue(wqLanesQueue))
		p.submit(t, "patient", executor.Priority(9))
		low := p.submit(t, "low", executor.Priority(-1))
		p.submit(t, "zero")
		cancelled := p.submit(t, "patient")
		p.submit(t, "high", executor.Priority(1))
		require.True(t, low.Cancel())
		require.True(t, cancelled.Cancel())
		assert.Equal(t, []string{"high", "zero", "patient"}, p.order())
	})
}
