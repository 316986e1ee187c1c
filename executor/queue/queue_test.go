package queue_test

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
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

// heldPool is a pool of one worker that is busy until start is called; what waits then runs in the
// order of the queue, which ran returns.
type heldPool struct {
	*executor.Pool
	start func()

	mu  sync.Mutex
	ran []string
}

// newHeld returns such a pool, which is closed at the end of the bubble.
func newHeld(t *testing.T, opts ...executor.Option) *heldPool {
	t.Helper()
	gate := make(chan struct{})
	p := &heldPool{
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

func (p *heldPool) body(name string) executor.Task {
	return func(context.Context) error {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.ran = append(p.ran, name)
		return nil
	}
}

func (p *heldPool) submit(t *testing.T, name string, opts ...executor.TaskOption) *future.Future[struct{}] {
	t.Helper()
	f, err := p.Submit(p.body(name), append(opts, executor.Name(name))...)
	require.NoError(t, err)
	return f
}

func (p *heldPool) submitAll(t *testing.T, names ...string) {
	t.Helper()
	for _, name := range names {
		p.submit(t, name)
	}
}

// order starts the pool and returns what runs.
func (p *heldPool) order() []string {
	p.start()
	synctest.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ran)
}

func TestPriority_TheHighestPriorityRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Priority()))
		for _, n := range []int{1, -3, 7, 2, -1} {
			p.submit(t, strconv.Itoa(n), executor.Priority(n))
		}
		require.NoError(t, p.Execute(p.body("0")), "without an option it is 0")
		assert.Equal(t, []string{"7", "2", "1", "0", "-1", "-3"}, p.order())
	})
}

func TestPriority_AmongEqualsTheFirstThatCameRunsFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Priority()))
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

func TestPriority_TheExtremesAreInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Priority()))
		p.submit(t, "least", executor.Priority(math.MinInt))
		p.submit(t, "zero")
		p.submit(t, "most", executor.Priority(math.MaxInt))
		p.submit(t, "almost least", executor.Priority(math.MinInt+1))
		p.submit(t, "almost most", executor.Priority(math.MaxInt-1))
		assert.Equal(t, []string{"most", "almost most", "zero", "almost least", "least"}, p.order())
	})
}

func TestPriority_ACancelledTaskLeavesTheOthersInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for cancelled := range 7 {
			p := newHeld(t, executor.Queue(queue.Priority()))
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

func TestPriority_QueuedTellsTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Priority()))
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

// stackQueue is the queue of a user who wants the last task first.
func stackQueue() queue.Queue {
	return queue.Custom(func() queue.WorkQueue { return new(stack) })
}

func TestCustom_DecidesTheOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue()))
		p.submitAll(t, "a", "b", "c")
		assert.Equal(t, []string{"c", "b", "a"}, p.order())
	})
}

func TestCustom_ACancelledTaskIsRemoved(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue()))
		p.submit(t, "a")
		b := p.submit(t, "b")
		p.submit(t, "c")
		require.True(t, b.Cancel())
		assert.Equal(t, 2, p.Stats().Queued)
		assert.Equal(t, []string{"c", "a"}, p.order())
	})
}

func TestCustom_ShutdownNowHandsBackInItsOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue()))
		p.submitAll(t, "a", "b", "c")
		var names []string
		for _, pending := range p.ShutdownNow() {
			names = append(names, pending.Name)
		}
		assert.Equal(t, []string{"c", "b", "a"}, names)
		assert.Empty(t, p.order())
	})
}

func TestCustom_DiscardOldestDropsWhatWouldRunNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue().Bounded(2)), executor.OnRejection(rejection.DiscardOldest))
		p.submitAll(t, "a", "b", "c")
		assert.Equal(t, []string{"c", "a"}, p.order())
	})
}

func TestCustom_BoundedRefusesBeyondItsCapacity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue().Bounded(2)))
		p.submitAll(t, "a", "b")
		assert.ErrorIs(t, p.Execute(pooltest.Nothing), executor.ErrSaturated)
		assert.Equal(t, []string{"b", "a"}, p.order())
	})
}

func TestCustom_BoundedLetsThePoolGrowWhenItIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(stackQueue().Bounded(2)), executor.MaximumSize(2))
		p.submitAll(t, "a", "b")
		assert.Equal(t, 1, p.Stats().Workers)
		p.submit(t, "c")
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Largest)
		assert.Equal(t, []string{"c", "b", "a"}, p.order())
	})
}

// The task that is too many is not the next to run.
func TestPriority_BoundedLetsThePoolGrowForALowPriority(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Priority().Bounded(2)), executor.MaximumSize(2))
		p.submitAll(t, "a", "b")
		assert.Equal(t, 1, p.Stats().Workers)
		p.submit(t, "c", executor.Priority(-1))
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Largest)
		assert.Equal(t, []string{"a", "b", "c"}, p.order())
	})
}

// lanes has the tasks of one name wait for all others. It is made of queues of the package.
type lanes struct{ first, last queue.WorkQueue }

func lanesQueue() queue.WorkQueue {
	return &lanes{queue.Priority().New(), queue.FIFO().New()}
}

func (q *lanes) of(t queue.Task) queue.WorkQueue {
	if t.Name() == "patient" {
		return q.last
	}
	return q.first
}

func (q *lanes) Push(t queue.Task)        { q.of(t).Push(t) }
func (q *lanes) Remove(t queue.Task) bool { return q.of(t).Remove(t) }
func (q *lanes) Len() int                 { return q.first.Len() + q.last.Len() }

func (q *lanes) Pop() queue.Task {
	if t := q.first.Pop(); t != nil {
		return t
	}
	return q.last.Pop()
}

func (q *lanes) All() iter.Seq[queue.Task] {
	return func(yield func(queue.Task) bool) {
		for _, lane := range []queue.WorkQueue{q.first, q.last} {
			for t := range lane.All() {
				if !yield(t) {
					return
				}
			}
		}
	}
}

func TestCustom_MayBeMadeOfOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(queue.Custom(lanesQueue)))
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
