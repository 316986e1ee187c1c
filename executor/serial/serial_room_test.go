package serial_test

import (
	"context"
	"fmt"
	"runtime"
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
	"github.com/punctual-go/punctual/internal/probe"
)

// laneRow submits n tasks of an hour to a new serial executor.
func laneRow(
	t *testing.T, p *executor.Pool, tr *pooltest.Trace, prefix string, n int,
) (fs []*future.Future[struct{}]) {
	t.Helper()
	s := serial.New(p)
	for i := range n {
		name := fmt.Sprint(prefix, i)
		fs = append(fs, pooltest.Submit(t, s, func(ctx context.Context) error {
			tr.Mark(name)
			select {
			case <-time.After(time.Hour):
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}, executor.Name(name)))
	}
	return fs
}

func TestSerialTasksThatWereAcceptedRunAfterShutdown(t *testing.T) {
	ends := map[string]func(p *executor.Pool){
		"Shutdown": (*executor.Pool).Shutdown,
		"Close":    func(p *executor.Pool) { _ = p.Close() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
				p := newPool(t, 2)
				tr := pooltest.NewTrace()
				fs := laneRow(t, p, tr, "a", 3)
				synctest.Wait()
				end(p)
				<-p.Terminated()
				assert.Equal(t, []string{"a0 0s", "a1 1h0m0s", "a2 2h0m0s"}, tr.Seen())
				for _, f := range fs {
					assert.NoError(t, pooltest.Outcome(t, f))
				}
				assert.ErrorIs(t, serial.New(p).Execute(pooltest.Nothing), executor.ErrShutdown)
				pooltest.Balanced(t, p)
			})
		})
	}
}

func TestSerialTasksAreReturnedInOrderByShutdownNow(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		tr := pooltest.NewTrace()
		fs := laneRow(t, p, tr, "a", 4)
		synctest.Wait()
		assert.Equal(t, []string{"a1", "a2", "a3"}, pooltest.Names(p.ShutdownNow()))
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, fs[0]))
		for _, f := range fs[1:] {
			pooltest.CancelledByShutdown(t, f)
		}
		assert.Equal(t, []string{"a0 0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

// laneMixed has tasks of a serial executor wait among others, one a second, in alphabetical order.
func laneMixed(t *testing.T, p *executor.Pool) {
	t.Helper()
	s := serial.New(p)
	hold := pooltest.NewGate(t)
	pooltest.Submit(t, s, hold.Heed)
	for i, name := range []string{"a", "b", "c", "d"} {
		probe.Elapse(time.Second)
		submit := s.Submit
		if i%2 == 1 {
			submit = p.Submit
		}
		_, err := submit(pooltest.Nothing, executor.Name(name))
		require.NoError(t, err)
	}
}

func TestShutdownNowReturnsSerialTasksAmongOthersInTheOrderOfTheirTimes(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1)
		laneMixed(t, p)
		assert.Equal(t, []string{"a", "b", "c", "d"}, pooltest.Names(p.ShutdownNow()))
	})
}

// On a scheduled pool the order is that of the times, whatever waits for its turn meanwhile.
func TestQueuedTellsSerialTasksAmongOthersInTheOrderInWhichTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &pooltest.NewScheduledPool(t, 1).Pool
		laneMixed(t, p)
		assert.Equal(t, []string{"a", "b", "c", "d"}, pooltest.Names(p.Queued()))
	})
}

func TestCloseContextReportsSerialTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		tr := pooltest.NewTrace()
		laneRow(t, p, tr, "a", 4)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"a2", "a3"}, pooltest.Names(report.Dropped))
		<-p.Terminated()
		pooltest.Balanced(t, p)
	})
}

func TestPendingLimitCountsSerialTasksThatWaitForTheirTurn(t *testing.T) {
	pooltest.EachUnbounded(t, func(t *testing.T, newPool pooltest.Maker) {
		p := newPool(t, 1, executor.PendingLimit(3))
		s := serial.New(p)
		hold := pooltest.NewGate(t)
		pooltest.Submit(t, s, hold.Hold)
		synctest.Wait()
		for range 3 {
			pooltest.Submit(t, s, pooltest.Nothing)
		}
		assert.Equal(t, executor.ErrSaturated, s.Execute(pooltest.Nothing))
		assert.Equal(t, executor.ErrSaturated, p.Execute(pooltest.Nothing))
		stats := p.Stats()
		assert.Equal(t, []uint64{4, 2}, []uint64{stats.Accepted, stats.Rejected})
		assert.Equal(t, 3, stats.Queued)
		hold.Open()
		synctest.Wait()
		pooltest.Submit(t, s, pooltest.Nothing)
		pooltest.Balanced(t, p)
	})
}

func TestSerialTasksThatWaitForTheirTurnTakeTheRoomOfABoundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.CallerRuns))
		s := serial.New(p)
		hold := pooltest.NewGate(t)
		for range 3 {
			pooltest.Submit(t, s, hold.Hold)
		}
		synctest.Wait()
		_, err := s.Submit(pooltest.Nothing)
		assert.Equal(t, executor.ErrSaturated, err, "no policy is asked")
		ran := false
		_, err = p.Submit(func(context.Context) error {
			ran = true
			return nil
		})
		require.NoError(t, err)
		assert.True(t, ran, "by its caller")
		hold.Open()
		pooltest.Balanced(t, p)
	})
}

func TestSerialSubmitContextWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		s := serial.New(p)
		start := time.Now()
		for i, accepted := range []time.Duration{0, 0, time.Second, 2 * time.Second} {
			_, err := s.SubmitContext(t.Context(), pooltest.Sleep(time.Second))
			require.NoError(t, err)
			assert.Equal(t, accepted, time.Since(start), "task %d", i)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := s.SubmitContext(ctx, pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		pooltest.Balanced(t, p)
	})
}

// As its caller could wait for itself, and nobody can run a task out of turn.
func TestSerialSubmitContextFromATaskOfAFullPoolIsRefusedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		s := serial.New(p)
		parent := pooltest.SubmitFunc(t, p, func(ctx context.Context) (int, error) {
			assert.NoError(t, s.Execute(pooltest.Nothing))
			_, err := s.SubmitContext(ctx, pooltest.Nothing)
			return 0, err
		})
		probe.Elapse(time.Hour)
		_, err := pooltest.Settled(t, parent)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		stats := p.Stats()
		assert.Equal(t, []uint64{2, 1}, []uint64{stats.Accepted, stats.Rejected})
	})
}

func TestSerialGoesOnWhenItsTaskIsTheOldestAndDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.DiscardOldest))
		s := serial.New(p)
		tr := pooltest.NewTrace()
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		a := pooltest.Submit(t, s, tr.Task("a"))
		pooltest.Submit(t, s, tr.Task("b"))
		synctest.Wait()
		require.NoError(t, p.Execute(tr.Task("c")))
		assert.ErrorIs(t, pooltest.Outcome(t, a), executor.ErrSaturated)
		hold.Open()
		synctest.Wait()
		assert.ElementsMatch(t, []string{"b 0s", "c 0s"}, tr.Seen())
		pooltest.Balanced(t, p)
	})
}

// lanePop is a queue that has something happen to a task while that is taken out.
type lanePop struct {
	queue.WorkQueue
	popped func()
}

func (q *lanePop) Pop() queue.Task {
	t := q.WorkQueue.Pop()
	if t.Name() == "cancelled" {
		q.popped()
	}
	return t
}

func TestSerialGoesOnWithoutATaskThatIsCancelledJustBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &lanePop{WorkQueue: queue.FIFO().New()}
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Custom(func() queue.WorkQueue { return q })))
		s := serial.New(p)
		tr := pooltest.NewTrace()
		hold := pooltest.NewGate(t)
		require.NoError(t, p.Execute(hold.Hold))
		synctest.Wait()
		a := pooltest.Submit(t, s, tr.Task("a"), executor.Name("cancelled"))
		pooltest.Submit(t, s, tr.Task("b"))
		q.popped = func() { // the pool is told of the cancellation after this
			go a.Cancel()
			for a.State() == future.Pending {
				runtime.Gosched() // it is settled before the pool, which is locked now, is told
			}
		}
		hold.Open()
		synctest.Wait()
		assert.Equal(t, []string{"b 0s"}, tr.Seen())
		p.Shutdown()
		<-p.Terminated()
		pooltest.Balanced(t, p)
	})
}
