package executor_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/future"
)

// laneRow submits n tasks of an hour to a new serial executor.
func laneRow(t *testing.T, p *executor.Pool, tr *withTrace, prefix string, n int) (fs []*future.Future[struct{}]) {
	t.Helper()
	s := executor.NewSerial(p)
	for i := range n {
		name := fmt.Sprint(prefix, i)
		fs = append(fs, laneSubmit(t, s, func(ctx context.Context) error {
			tr.mark(name)
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
			laneUnbounded(t, func(t *testing.T, newPool lendMake) {
				p := newPool(t, 2)
				tr := withNewTrace()
				fs := laneRow(t, p, tr, "a", 3)
				synctest.Wait()
				end(p)
				<-p.Terminated()
				assert.Equal(t, []string{"a0 0s", "a1 1h0m0s", "a2 2h0m0s"}, tr.seen())
				for _, f := range fs {
					assert.NoError(t, withOutcome(t, f))
				}
				assert.ErrorIs(t, executor.NewSerial(p).Execute(withNothing), executor.ErrShutdown)
				lendAccounted(t, p)
			})
		})
	}
}

func TestSerialTasksAreReturnedInOrderByShutdownNow(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1)
		tr := withNewTrace()
		fs := laneRow(t, p, tr, "a", 4)
		synctest.Wait()
		assert.Equal(t, []string{"a1", "a2", "a3"}, withNames(p.ShutdownNow()))
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, withOutcome(t, fs[0]))
		for _, f := range fs[1:] {
			withShutDown(t, f)
		}
		assert.Equal(t, []string{"a0 0s"}, tr.seen())
		lendAccounted(t, p)
	})
}

// laneMixed has tasks of a serial executor wait among others, one a second, in alphabetical order.
func laneMixed(t *testing.T, p *executor.Pool) {
	t.Helper()
	s := executor.NewSerial(p)
	hold := withNewGate(t)
	laneSubmit(t, s, hold.heed)
	for i, name := range []string{"a", "b", "c", "d"} {
		withPassed(time.Second)
		submit := s.Submit
		if i%2 == 1 {
			submit = p.Submit
		}
		_, err := submit(withNothing, executor.Name(name))
		require.NoError(t, err)
	}
}

func TestShutdownNowReturnsSerialTasksAmongOthersInTheOrderOfTheirTimes(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1)
		laneMixed(t, p)
		assert.Equal(t, []string{"a", "b", "c", "d"}, withNames(p.ShutdownNow()))
	})
}

// On a scheduled pool the order is that of the times, whatever waits for its turn meanwhile.
func TestQueuedTellsSerialTasksAmongOthersInTheOrderInWhichTheyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &withPool(t, 1).Pool
		laneMixed(t, p)
		assert.Equal(t, []string{"a", "b", "c", "d"}, withNames(p.Queued()))
	})
}

func TestCloseContextReportsSerialTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1)
		tr := withNewTrace()
		laneRow(t, p, tr, "a", 4)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), 90*time.Minute)
		defer cancel()
		report, err := p.CloseContext(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"a2", "a3"}, withNames(report.Dropped))
		<-p.Terminated()
		lendAccounted(t, p)
	})
}

func TestPendingLimitCountsSerialTasksThatWaitForTheirTurn(t *testing.T) {
	laneUnbounded(t, func(t *testing.T, newPool lendMake) {
		p := newPool(t, 1, executor.PendingLimit(3))
		s := executor.NewSerial(p)
		hold := withNewGate(t)
		laneSubmit(t, s, hold.hold)
		synctest.Wait()
		for range 3 {
			laneSubmit(t, s, withNothing)
		}
		assert.Equal(t, executor.ErrSaturated, s.Execute(withNothing))
		assert.Equal(t, executor.ErrSaturated, p.Execute(withNothing))
		stats := p.Stats()
		assert.Equal(t, []uint64{4, 2}, []uint64{stats.Accepted, stats.Rejected})
		assert.Equal(t, 3, stats.Queued)
		hold.open()
		synctest.Wait()
		laneSubmit(t, s, withNothing)
		lendAccounted(t, p)
	})
}

func TestSerialTasksThatWaitForTheirTurnTakeTheRoomOfABoundedQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1, executor.BoundedFIFO(2), executor.OnRejection(executor.CallerRuns))
		s := executor.NewSerial(p)
		hold := withNewGate(t)
		for range 3 {
			laneSubmit(t, s, hold.hold)
		}
		synctest.Wait()
		_, err := s.Submit(withNothing)
		assert.Equal(t, executor.ErrSaturated, err, "no policy is asked")
		ran := false
		_, err = p.Submit(func(context.Context) error {
			ran = true
			return nil
		})
		require.NoError(t, err)
		assert.True(t, ran, "by its caller")
		hold.open()
		lendAccounted(t, p)
	})
}

func TestSerialSubmitContextWaitsForRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1, executor.BoundedFIFO(1))
		s := executor.NewSerial(p)
		start := time.Now()
		for i, accepted := range []time.Duration{0, 0, time.Second, 2 * time.Second} {
			_, err := s.SubmitContext(t.Context(), withSleep(time.Second))
			require.NoError(t, err)
			assert.Equal(t, accepted, time.Since(start), "task %d", i)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		_, err := s.SubmitContext(ctx, withNothing)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		lendAccounted(t, p)
	})
}

// As its caller could wait for itself, and nobody can run a task out of turn.
func TestSerialSubmitContextFromATaskOfAFullPoolIsRefusedAndCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1, executor.BoundedFIFO(1))
		s := executor.NewSerial(p)
		parent := lendSubmit(t, p, func(ctx context.Context) (int, error) {
			assert.NoError(t, s.Execute(withNothing))
			_, err := s.SubmitContext(ctx, withNothing)
			return 0, err
		})
		withPassed(time.Hour)
		_, err := lendSettled(t, parent)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		stats := p.Stats()
		assert.Equal(t, []uint64{2, 1}, []uint64{stats.Accepted, stats.Rejected})
	})
}

func TestSerialGoesOnWhenItsTaskIsTheOldestAndDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := lendPlain(t, 1, executor.BoundedFIFO(2), executor.OnRejection(executor.DiscardOldest))
		s := executor.NewSerial(p)
		tr := withNewTrace()
		hold := withNewGate(t)
		require.NoError(t, p.Execute(hold.hold))
		a := laneSubmit(t, s, tr.task("a"))
		laneSubmit(t, s, tr.task("b"))
		synctest.Wait()
		require.NoError(t, p.Execute(tr.task("c")))
		assert.ErrorIs(t, withOutcome(t, a), executor.ErrSaturated)
		hold.open()
		synctest.Wait()
		assert.ElementsMatch(t, []string{"b 0s", "c 0s"}, tr.seen())
		lendAccounted(t, p)
	})
}

// lanePop is a queue that has something happen to a task while that is taken out.
type lanePop struct {
	executor.WorkQueue
	popped func()
}

func (q *lanePop) Pop() executor.Queued {
	t := q.WorkQueue.Pop()
	if t.Name() == "cancelled" {
		q.popped()
	}
	return t
}

func TestSerialGoesOnWithoutATaskThatIsCancelledJustBeforeItBegins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := &lanePop{WorkQueue: executor.FIFO().New()}
		p := lendPlain(t, 1, executor.CustomQueue(func() executor.WorkQueue { return q }))
		s := executor.NewSerial(p)
		tr := withNewTrace()
		hold := withNewGate(t)
		require.NoError(t, p.Execute(hold.hold))
		synctest.Wait()
		a := laneSubmit(t, s, tr.task("a"), executor.Name("cancelled"))
		laneSubmit(t, s, tr.task("b"))
		q.popped = func() { // the pool is told of the cancellation after this
			go a.Cancel()
			<-a.Done()
		}
		hold.open()
		synctest.Wait()
		assert.Equal(t, []string{"b 0s"}, tr.seen())
		p.Shutdown()
		<-p.Terminated()
		lendAccounted(t, p)
	})
}
