package queue_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/serial"
)

// ledger is a queue of a user who keeps accounts, in maps by task, and looks whether two calls
// are made at a time.
type ledger struct {
	queue.WorkQueue
	in      map[queue.Task]uint64 // tasks in the queue, with their numbers
	calls   atomic.Int32
	wrong   atomic.Int32 // calls during others, and tasks that are not what they were
	highest uint64
}

func (q *ledger) call() (done func()) {
	if q.calls.Add(1) != 1 {
		q.wrong.Add(1)
	}
	return func() { q.calls.Add(-1) }
}

func (q *ledger) Push(t queue.Task) {
	defer q.call()()
	if _, known := q.in[t]; known || t.Sequence() <= q.highest {
		q.wrong.Add(1)
	}
	q.highest = t.Sequence()
	q.in[t] = q.highest
	q.WorkQueue.Push(t)
}

func (q *ledger) Pop() queue.Task {
	defer q.call()()
	t := q.WorkQueue.Pop()
	q.leave(t)
	return t
}

func (q *ledger) Remove(t queue.Task) bool {
	defer q.call()()
	if !q.WorkQueue.Remove(t) {
		return false
	}
	q.leave(t)
	return true
}

func (q *ledger) Len() int {
	defer q.call()()
	return q.WorkQueue.Len()
}

func (q *ledger) leave(t queue.Task) {
	if number, known := q.in[t]; !known || number != t.Sequence() {
		q.wrong.Add(1)
	}
	delete(q.in, t)
}

func TestWorkQueue_IsCalledOnceAtATimeWithTasksThatKeepTheirIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &ledger{WorkQueue: queue.Priority().New(), in: map[queue.Task]uint64{}}
		p := executor.NewPool(2, executor.Queue(queue.Custom(func() queue.WorkQueue { return q })))
		var parties sync.WaitGroup
		for range 4 {
			parties.Go(func() {
				for range 500 {
					f, err := p.Submit(pooltest.Nothing, executor.Priority(rand.IntN(3)))
					if assert.NoError(t, err) && rand.IntN(2) == 0 {
						f.Cancel()
					}
				}
			})
		}
		parties.Wait()
		require.NoError(t, p.Close())
		assert.Empty(t, q.in, "each task has come back")
		assert.Zero(t, q.wrong.Load())
		assert.EqualValues(t, 2000, p.Stats().Accepted)
	})
}

func TestWorkQueue_SeesWhatTheOptionsOfATaskSay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &ledger{WorkQueue: queue.FIFO().New(), in: map[queue.Task]uint64{}}
		p := newHeld(t, executor.Queue(queue.Custom(func() queue.WorkQueue { return q })))
		p.submit(t, "a task", executor.Priority(-4))
		require.Len(t, q.in, 1)
		for task := range q.in {
			assert.Equal(t, "a task", task.Name())
			assert.Equal(t, -4, task.Priority())
		}
	})
}

func TestWorkQueue_EachPoolHasItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		made := 0
		kind := executor.Queue(queue.Custom(func() queue.WorkQueue { made++; return queue.FIFO().New() }))
		assert.Zero(t, made)
		a, b := newHeld(t, kind), newHeld(t, kind)
		assert.Equal(t, 2, made)
		a.submitAll(t, "a")
		b.submitAll(t, "b")
		assert.Equal(t, []string{"a"}, a.order())
		assert.Equal(t, []string{"b"}, b.order())
	})
}

// fussy is a queue that panics about some names.
type fussy struct{ stack }

func (q *fussy) Push(t queue.Task) {
	if t.Name() == "bad" {
		panic("I will not have it")
	}
	q.stack.Push(t)
}

func fussyQueue() queue.Queue {
	return queue.Custom(func() queue.WorkQueue { return new(fussy) })
}

func TestWorkQueue_APanicOfPushReachesTheSubmitterAndThePoolGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(fussyQueue()))
		before := p.Stats()
		assert.PanicsWithValue(t, "I will not have it", func() { _, _ = p.Submit(pooltest.Nothing, executor.Name("bad")) })
		assert.PanicsWithValue(t, "I will not have it", func() {
			_, _ = p.SubmitContext(t.Context(), pooltest.Nothing, executor.Name("bad"))
		})
		before.Rejected += 2
		assert.Equal(t, before, p.Stats(), "the tasks are not the pool's")
		p.submitAll(t, "a", "b")
		assert.Equal(t, []string{"b", "a"}, p.order())
	})
}

func TestWorkQueue_APanicOfPushLeavesASerialUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(fussyQueue()))
		s := serial.New(p)
		assert.PanicsWithValue(t, "I will not have it", func() { _, _ = s.Submit(pooltest.Nothing, executor.Name("bad")) })
		require.NoError(t, s.Execute(p.body("a")))
		assert.Equal(t, []string{"a"}, p.order())
	})
}

func TestWorkQueue_APanicOfPushLeavesAKeyedUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newHeld(t, executor.Queue(fussyQueue()))
		s := serial.NewKeyed[string](p)
		assert.PanicsWithValue(t, "I will not have it", func() { _, _ = s.Submit("key", pooltest.Nothing, executor.Name("bad")) })
		assert.Zero(t, s.Keys())
		require.NoError(t, s.Execute("key", p.body("a")))
		assert.Equal(t, []string{"a"}, p.order())
	})
}

func TestWorkQueue_NewPopsInOrderWithoutAPool(t *testing.T) {
	for name, kind := range map[string]queue.Queue{
		"FIFO": queue.FIFO(), "bounded": queue.Bounded(1), "hand-off": queue.HandOff(), "priority": queue.Priority(),
	} {
		q := kind.New()
		assert.Zero(t, q.Len(), name)
		assert.Nil(t, q.Pop(), name)
	}
}
