package tpe_test

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/internal/probe"
)

// wqLedger is a queue of a user who keeps accounts, in maps by task, and looks whether two calls
// are made at a time.
type wqLedger struct {
	executor.WorkQueue
	in      map[executor.Queued]uint64 // tasks in the queue, with their numbers
	calls   atomic.Int32
	wrong   atomic.Int32 // calls during others, and tasks that are not what they were
	highest uint64
}

func (q *wqLedger) call() (done func()) {
	if q.calls.Add(1) != 1 {
		q.wrong.Add(1)
	}
	return func() { q.calls.Add(-1) }
}

func (q *wqLedger) Push(t executor.Queued) {
	defer q.call()()
	if _, known := q.in[t]; known || t.Sequence() <= q.highest {
		q.wrong.Add(1)
	}
	q.highest = t.Sequence()
	q.in[t] = q.highest
	q.WorkQueue.Push(t)
}

func (q *wqLedger) Pop() executor.Queued {
	defer q.call()()
	t := q.WorkQueue.Pop()
	q.leave(t)
	return t
}

func (q *wqLedger) Remove(t executor.Queued) bool {
	defer q.call()()
	if !q.WorkQueue.Remove(t) {
		return false
	}
	q.leave(t)
	return true
}

func (q *wqLedger) Len() int {
	defer q.call()()
	return q.WorkQueue.Len()
}

func (q *wqLedger) leave(t executor.Queued) {
	if number, known := q.in[t]; !known || number != t.Sequence() {
		q.wrong.Add(1)
	}
	delete(q.in, t)
}

func TestWorkQueue_IsCalledOnceAtATimeWithTasksThatKeepTheirIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &wqLedger{WorkQueue: executor.PriorityFIFO().New(), in: map[executor.Queued]uint64{}}
		p := executor.NewPool(2, executor.CustomQueue(func() executor.WorkQueue { return q }))
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
		q := &wqLedger{WorkQueue: executor.FIFO().New(), in: map[executor.Queued]uint64{}}
		p := wqNew(t, executor.CustomQueue(func() executor.WorkQueue { return q }))
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
		kind := executor.CustomQueue(func() executor.WorkQueue { made++; return executor.FIFO().New() })
		assert.Zero(t, made)
		a, b := wqNew(t, kind), wqNew(t, kind)
		assert.Equal(t, 2, made)
		a.submitAll(t, "a")
		b.submitAll(t, "b")
		assert.Equal(t, []string{"a"}, a.order())
		assert.Equal(t, []string{"b"}, b.order())
	})
}

// wqFussy is a queue that panics about some names.
type wqFussy struct{ wqStack }

func (q *wqFussy) Push(t executor.Queued) {
	if t.Name() == "bad" {
		panic("I will not have it")
	}
	q.wqStack.Push(t)
}

func wqFussyQueue() executor.Queue {
	return executor.CustomQueue(func() executor.WorkQueue { return new(wqFussy) })
}

func TestWorkQueue_APanicOfPushReachesTheSubmitterAndThePoolGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqFussyQueue())
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
		p := wqNew(t, wqFussyQueue())
		s := serial.New(p)
		assert.PanicsWithValue(t, "I will not have it", func() { _, _ = s.Submit(pooltest.Nothing, executor.Name("bad")) })
		require.NoError(t, s.Execute(p.body("a")))
		assert.Equal(t, []string{"a"}, p.order())
	})
}

func TestWorkQueue_APanicOfPushLeavesAKeyedUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := wqNew(t, wqFussyQueue())
		s := serial.NewKeyed[string](p)
		assert.PanicsWithValue(t, "I will not have it", func() { _, _ = s.Submit("key", pooltest.Nothing, executor.Name("bad")) })
		assert.Zero(t, s.Keys())
		require.NoError(t, s.Execute("key", p.body("a")))
		assert.Equal(t, []string{"a"}, p.order())
	})
}

func TestWorkQueue_NewPopsInOrderWithoutAPool(t *testing.T) {
	for name, kind := range map[string]executor.Queue{
		"FIFO": executor.FIFO(), "bounded": executor.BoundedFIFO(1), "hand-off": executor.HandOff(), "priority": executor.PriorityFIFO(),
	} {
		q := kind.New()
		assert.Zero(t, q.Len(), name)
		assert.Nil(t, q.Pop(), name)
	}
}

// wqAllocations is how many a submission makes, with the run of its task.
func wqAllocations(t *testing.T, submit func(p *executor.Pool, task executor.Task) error) float64 {
	p := executor.NewPool(1)
	defer p.Close()
	ran := make(chan struct{})
	task := func(context.Context) error { ran <- struct{}{}; return nil }
	return testing.AllocsPerRun(2000, func() {
		if submit(p, task) != nil {
			t.Error("refused")
		}
		<-ran
	})
}

func TestCost_ExecuteAllocatesNothing(t *testing.T) {
	assert.Zero(t, wqAllocations(t, func(p *executor.Pool, task executor.Task) error {
		return p.Execute(task)
	}))
}

func TestCost_SubmitAllocatesOnce(t *testing.T) {
	assert.EqualValues(t, 1, wqAllocations(t, func(p *executor.Pool, task executor.Task) error {
		_, err := p.Submit(task)
		return err
	}))
}

// Each run has a context of its own, and 64 of these are one allocation.
func TestCost_ExecuteOfABurstAllocatesOnceForSixtyFourRuns(t *testing.T) {
	if probe.RaceEnabled {
		t.Skip("with the race detector blocks are not always used again")
	}
	p := executor.NewPool(1)
	defer p.Close()
	const burst = 500 // a few blocks of the queue
	var left sync.WaitGroup
	task := func(context.Context) error { left.Done(); return nil }
	allocs := testing.AllocsPerRun(200, func() {
		left.Add(burst)
		for i := range burst {
			if p.Execute(task) != nil {
				t.Error("refused: " + strconv.Itoa(i))
			}
		}
		left.Wait()
	})
	assert.LessOrEqual(t, allocs, float64(burst/64+1))
}
