package tpe_test

import (
	"context"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// stressPoolSaturated returns a pool that has its callers run their tasks, until the end of the
// bubble.
func stressPoolSaturated(t *testing.T) *executor.Pool {
	t.Helper()
	p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
	gate := make(chan struct{})
	require.NoError(t, p.Execute(func(context.Context) error { <-gate; return nil }))
	t.Cleanup(func() {
		close(gate)
		assert.NoError(t, p.Close())
	})
	return p
}

func TestCompletionService_YieldsATaskThatHasEndedItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](stressPoolSaturated(t))
		go func() {
			_, _ = s.Submit(func(context.Context) (int, error) { runtime.Goexit(); return 0, nil })
			t.Error("the caller goes on")
		}()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		synctest.Wait()
		f, err := s.Take(ctx)
		require.NoError(t, err)
		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, future.ErrGoexit)
		assert.Zero(t, s.Outstanding())
	})
}

func TestGroup_FailsWithATaskThatHasEndedItsCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := bulk.NewGroup(t.Context(), stressPoolSaturated(t))
		go func() {
			_ = g.Go(func(context.Context) error { runtime.Goexit(); return nil })
			t.Error("the caller goes on")
		}()
		synctest.Wait()
		assert.ErrorIs(t, g.Wait(), future.ErrGoexit)
	})
}

func TestKeyed_HasNoKeysWhenShutdownNowHasHandedBackItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		pooltest.Fill(t, p, 1, pooltest.NewGate(t).Hold)
		s := serial.NewKeyed[int](p)
		for range 2 { // one in the queue, one behind it
			require.NoError(t, s.Execute(1, pooltest.Nothing))
		}
		require.Equal(t, 1, s.Keys())
		assert.Len(t, p.ShutdownNow(), 2)
		assert.Zero(t, s.Keys())
	})
}

// Between the moment in which a task is cancelled and the one in which the pool is told of it, a
// worker may take it.
func TestSerial_GoesOnWhenATaskIsCancelledOnItsWayOutOfTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		gate := pooltest.NewGate(t)
		pooltest.Fill(t, p, 1, gate.Hold)
		s := serial.New(p)
		f, err := s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		next, err := s.Submit(pooltest.Nothing)
		require.NoError(t, err)
		future.AfterSettled(f, func(future.Result[struct{}]) {
			gate.Open()
			synctest.Wait()
		})
		require.True(t, f.Cancel())
		synctest.Wait()
		assert.Equal(t, future.Succeeded, next.State())
	})
}

func TestCallerRuns_ATaskThatIsRefusedCountsAsRefusedOnlyWhenItsContextEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var p *executor.Pool
		p = executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(func(r *rejection.Task) error {
			cancel()
			p.ShutdownNow()
			err := r.Run()
			synctest.Wait()
			return err
		}))
		require.NoError(t, p.Execute(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		_, err := executor.InvokeAll(ctx, p, func(context.Context) (int, error) { return 0, nil })
		require.Error(t, err)
		require.NoError(t, p.Close())
		s := p.Stats()
		assert.EqualValues(t, 1, s.Rejected)
		assert.Zero(t, s.Cancelled)
		assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
	})
}
