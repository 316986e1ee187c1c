package tpe_test

import (
	"context"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// held returns a pool whose only task so far is held at the gate, by way of the given executor.
func held(t *testing.T, p *executor.Pool, execute func(executor.Task, ...executor.TaskOption) error) *pooltest.Gate {
	t.Helper()
	gate := pooltest.NewGate(t)
	require.NoError(t, execute(gate.Hold))
	synctest.Wait()
	t.Cleanup(func() {
		gate.Open()
		assert.NoError(t, p.Close())
		s := p.Stats()
		assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
	})
	return gate
}

func TestACancellationBehindOthersOfASerialCallsAWorkerForWhoeverEnters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2, executor.Queue(queue.Bounded(1)))
		s := serial.New(p)
		held(t, p, s.Execute)
		behind, err := s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		require.NoError(t, p.SetCoreSize(1))
		ran := false
		go func() {
			_, _ = p.SubmitContext(t.Context(), func(context.Context) error { ran = true; return nil })
		}()
		synctest.Wait()
		require.NoError(t, p.SetCoreSize(2))
		require.True(t, behind.Cancel())
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestTasksThatWaitForTheirTurnTakeNoWorkers(t *testing.T) {
	t.Run("bounded", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1, executor.MaximumSize(2), executor.Queue(queue.Bounded(2)))
			s := serial.New(p)
			held(t, p, s.Execute)
			for range 2 {
				require.NoError(t, s.Execute(pooltest.Nothing))
			}
			ran := false
			require.NoError(t, p.Execute(func(context.Context) error { ran = true; return nil }))
			synctest.Wait()
			assert.True(t, ran, "by a second worker")
		})
	})
	t.Run("hand-off", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(2, executor.Queue(queue.HandOff()))
			s := serial.New(p)
			held(t, p, s.Execute)
			for range 10 {
				assert.NoError(t, s.Execute(pooltest.Nothing), "they wait in the serial executor")
			}
			ran := false
			require.NoError(t, p.Execute(func(context.Context) error { ran = true; return nil }))
			synctest.Wait()
			assert.True(t, ran, "by the other worker")
		})
	})
}

func TestOnlyScheduledTasksHaveJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		s := serial.New(p)
		start := time.Now()
		first, err := s.Submit(pooltest.Nothing, executor.Jitter(1000*time.Hour))
		require.NoError(t, err)
		second, err := s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		assert.NoError(t, p.Close())
		assert.Equal(t, future.Succeeded, first.State())
		assert.Equal(t, future.Succeeded, second.State())
		assert.Zero(t, time.Since(start))
	})
}

// A task is also looked at again whose wait seemed to be short.
func TestC4_AWaitIsHelpedThoughAWorkerWasFreeAtItsBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2)
		done := make(chan struct{})
		parent, err := p.Submit(func(context.Context) error {
			defer close(done)
			if err := p.Execute(func(context.Context) error { <-done; return nil }); err != nil {
				return err
			}
			child, err := p.Submit(pooltest.Nothing)
			if err != nil {
				return err
			}
			_, err = child.GetTimeout(time.Hour)
			return err
		})
		require.NoError(t, err)
		_, err = parent.Get(t.Context())
		assert.NoError(t, err)
		assert.NoError(t, p.Close())
	})
}

func TestCloseContextReportsThePlainTasksInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		gate := pooltest.NewGate(t)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		for _, name := range []string{"a", "", "c"} {
			if name == "" {
				require.NoError(t, p.Execute(pooltest.Nothing))
				continue
			}
			_, err := p.Submit(pooltest.Nothing, executor.Name(name))
			require.NoError(t, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.Canceled)
		var names []string
		for _, dropped := range report.Dropped {
			names = append(names, dropped.Name)
		}
		assert.Equal(t, []string{"a", "", "c"}, names)
		gate.Open()
		<-p.Terminated()
	})
}

// fussy is a queue that panics at the sight of a bad task.
type fussy struct{ queue.WorkQueue }

func (q fussy) Push(t queue.Task) {
	if t.Name() == "bad" {
		panic("push")
	}
	q.WorkQueue.Push(t)
}

func fussyQueue() queue.Queue {
	return queue.Custom(func() queue.WorkQueue { return fussy{queue.FIFO().New()} }).Bounded(1)
}

func TestAPanicOfPushReachesTheSubmitterWhoHasWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(fussyQueue()))
		held(t, p, p.Execute)
		queued, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		var got any
		go func() {
			defer func() { got = recover() }()
			_, _ = p.SubmitContext(t.Context(), pooltest.Nothing, executor.Name("bad"))
		}()
		synctest.Wait()
		assert.NotPanics(t, func() { queued.Cancel() })
		synctest.Wait()
		assert.Equal(t, "push", got)
	})
}

func TestAPanicOfPushLosesNeitherTheOldestNorItsRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(fussyQueue()), executor.OnRejection(rejection.DiscardOldest))
		held(t, p, p.Execute)
		oldest, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		entered := false
		go func() {
			_, err := p.SubmitContext(t.Context(), pooltest.Nothing)
			entered = err == nil
		}()
		synctest.Wait()
		assert.PanicsWithValue(t, "push", func() { _, _ = p.Submit(pooltest.Nothing, executor.Name("bad")) })
		synctest.Wait()
		assert.Equal(t, future.Cancelled, oldest.State())
		assert.True(t, entered)
	})
}

func TestAPolicyThatOutlivesAPanicOfPushHasRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p *executor.Pool
		p = executor.NewPool(1, executor.Queue(fussyQueue()), executor.OnRejection(func(r *rejection.Task) (err error) {
			defer func() {
				if recover() != nil {
					err = executor.ErrSaturated
				}
			}()
			if err := p.SetCoreSize(2); err != nil {
				return err
			}
			return r.Retry()
		}))
		held(t, p, p.Execute)
		require.NoError(t, p.Execute(pooltest.Nothing))
		_, err := p.Submit(pooltest.Nothing, executor.Name("bad"))
		assert.EqualError(t, err, `executor: task "bad": pool is saturated`)
		assert.EqualValues(t, 1, p.Stats().Rejected)
	})
}

// batches is a queue that takes tasks out of another, some at a time.
type batches struct {
	queue.WorkQueue
	out []queue.Task
}

func batchQueue() queue.Queue {
	return queue.Custom(func() queue.WorkQueue { return &batches{WorkQueue: queue.FIFO().New()} })
}

func (q *batches) Pop() queue.Task {
	for len(q.out) < 8 && q.WorkQueue.Len() > 0 {
		q.out = append(q.out, q.WorkQueue.Pop())
	}
	next := q.out[0]
	q.out = q.out[1:]
	return next
}

func (q *batches) Remove(t queue.Task) bool {
	i := slices.Index(q.out, t)
	if i < 0 {
		return q.WorkQueue.Remove(t)
	}
	q.out = slices.Delete(q.out, i, i+1)
	return true
}

func (q *batches) Len() int { return len(q.out) + q.WorkQueue.Len() }

func (q *batches) All() iter.Seq[queue.Task] {
	return slices.Values(slices.AppendSeq(slices.Clone(q.out), q.WorkQueue.All()))
}

// batched returns a pool of one worker, whose task is held at the gate, and a task behind that
// which its queue has taken out of another.
func batched(t *testing.T) (p *executor.Pool, behind *future.Future[struct{}]) {
	p = executor.NewPool(1, executor.Queue(batchQueue()))
	first, second := pooltest.NewGate(t), pooltest.NewGate(t)
	require.NoError(t, p.Execute(first.Hold))
	synctest.Wait()
	require.NoError(t, p.Execute(second.Hold))
	behind, err := p.Submit(pooltest.Nothing)
	require.NoError(t, err)
	t.Cleanup(func() {
		second.Open()
		assert.NoError(t, p.Close())
	})
	first.Open()
	synctest.Wait()
	return p, behind
}

func TestAQueueMadeOfAnotherGivesUpItsCancelledTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, behind := batched(t)
		assert.True(t, behind.Cancel())
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestAQueueMadeOfAnotherIsEmptiedByShutdownNow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, behind := batched(t)
		assert.Len(t, p.ShutdownNow(), 1)
		assert.Equal(t, future.Cancelled, behind.State())
	})
}

func TestC4_ATaskOfAQueueMadeOfAnotherIsHelped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(batchQueue()))
		gate := pooltest.NewGate(t)
		require.NoError(t, p.Execute(gate.Hold))
		synctest.Wait()
		var child *future.Future[struct{}]
		parent, err := p.Submit(func(ctx context.Context) error {
			_, err := child.Get(ctx)
			return err
		})
		require.NoError(t, err)
		child, err = p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		gate.Open()
		_, err = parent.Get(t.Context())
		assert.NoError(t, err)
		assert.NoError(t, p.Close())
	})
}
