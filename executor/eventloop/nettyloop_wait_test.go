package eventloop_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestNETTYLOOP22_ABlockingWaitInsideIsRefused(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		once, err := l.Schedule(time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		series, err := l.AtFixedRate(time.Hour, time.Hour, pooltest.Nothing)
		require.NoError(t, err)
		promise := future.NewPromise[struct{}]()
		do(t, l, func(ctx context.Context, turn eventloop.Turn) {
			queued, err := turn.Submit(pooltest.Nothing)
			assert.NoError(t, err)
			start := time.Now()
			for _, f := range []*future.Future[struct{}]{once.Future, series.Future, queued} {
				_, err := f.Get(ctx)
				assert.ErrorIs(t, err, future.ErrSelfWait)
			}
			_, err = future.All(ctx, queued, once.Future)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			_, err = future.Any(ctx, queued, once.Future)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			assert.Zero(t, time.Since(start), "at once, if the context tells")

			_, err = queued.Get(context.Background())
			assert.ErrorIs(t, err, future.ErrSelfWait)
			_, err = once.GetTimeout(time.Minute)
			assert.ErrorIs(t, err, future.ErrSelfWait)
			assert.Less(t, time.Since(start), time.Second, "soon, if only the goroutine does")

			time.AfterFunc(ms, func() { promise.Complete(struct{}{}) })
			_, err = future.Any(ctx, queued, promise.Future())
			assert.NoError(t, err, "something else may come first")
		})
		assert.True(t, series.Cancel())
	})
}

func TestNETTYLOOP22_AWaitFromOutsideOrForAnotherLoopIsNot(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		other := quiet()
		f, err := other.Schedule(time.Minute, pooltest.Nothing)
		require.NoError(t, err)
		do(t, l, func(ctx context.Context, _ eventloop.Turn) {
			_, err := f.Get(ctx)
			assert.NoError(t, err)
		})
		release := block(t, l)
		queued, err := l.Submit(pooltest.Nothing)
		require.NoError(t, err)
		time.AfterFunc(time.Minute, release)
		_, err = queued.Get(context.Background())
		assert.NoError(t, err, "the loop is busy, and the caller is not its task")
		require.NoError(t, other.Close())
	})
}

// The original ends with the error of its thread's body. Here the body of the goroutine is not the
// user's, and what a task does to it ends neither the loop nor its shutdown.
func TestNETTYLOOP23_ShutdownEndsWithoutAnErrorWhateverTasksDo(t *testing.T) {
	withLoop(t, func(t *testing.T, l *eventloop.Loop) {
		for _, task := range []executor.Task{
			func(context.Context) error { panic("task") },
			func(context.Context) error { runtime.Goexit(); return nil },
			func(context.Context) error { l.Shutdown(); runtime.Goexit(); return nil },
		} {
			require.NoError(t, l.Execute(task))
		}
		require.NoError(t, l.AwaitTermination(t.Context()))
		assert.EqualValues(t, 3, l.Stats().Failures)
		assert.Equal(t, "terminated", l.Stats().State)
		assert.Zero(t, loopGoroutines())
	})
}

// Of all that may settle the future of a task exactly one does. Listeners are what the original has
// in place of Done and Stopped. The race is real: who loses a round gets a better start in the
// next.
func TestNETTYLOOP25_AFutureIsSettledOnce(t *testing.T) {
	l := quiet()
	succeeded, cancelled, spins := 0, 0, 0
	for range 500 {
		if settleByAll(t, l, spins) {
			succeeded++
			spins /= 2
		} else {
			cancelled++
			spins = 2*spins + 1
		}
	}
	assert.Positive(t, succeeded, "the body has never won")
	assert.Positive(t, cancelled, "the body has always won")
	require.NoError(t, l.Close())
	assertBalanced(t, l)
}

// settleByAll submits a task and, after so many turns of others, has all cancel it that can. It
// reports whether the body was faster.
func settleByAll(t *testing.T, l *eventloop.Loop, spins int) (succeeded bool) {
	var body, won atomic.Int64
	f, err := l.Submit(func(context.Context) error { body.Add(1); return nil })
	require.NoError(t, err)
	for range spins {
		runtime.Gosched()
	}
	var parties sync.WaitGroup
	for _, settle := range []func() bool{f.Stop, func() bool { return f.CancelCause(pooltest.ErrTask) }} {
		parties.Go(func() {
			if settle() {
				won.Add(1)
			}
		})
	}
	if f.Cancel() {
		won.Add(1)
	}
	parties.Wait()
	<-f.Done()
	<-f.Stopped()
	if succeeded = f.State() == future.Succeeded; succeeded {
		won.Add(1)
		require.EqualValues(t, 1, body.Load())
	}
	require.EqualValues(t, 1, won.Load())
	return succeeded
}
