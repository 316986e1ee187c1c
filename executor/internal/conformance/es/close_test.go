package es_test

import (
	"context"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestES060_CloseOfAPoolWithoutTasksEndsItAtOnce(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		start := time.Now()
		assert.NoError(t, p.Pool.Close())
		assert.True(t, probe.IsClosed(p.Pool.Terminated()))
		assert.Equal(t, "terminated", p.Pool.Stats().State)
		assert.Zero(t, time.Since(start))
	})
}

func TestES061_CloseWaitsForWhatRunsAndTheResultsStay(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(3, time.Hour))
		require.NoError(t, err)
		synctest.Wait()
		start := time.Now()
		assert.NoError(t, p.Pool.Close())
		assert.Equal(t, time.Hour, time.Since(start))
		r, settled := f.Poll()
		assert.True(t, settled)
		assert.Equal(t, future.Result[int]{Value: 3}, r)
	})
}

func TestES061_CloseOfAPlainPoolWaitsForWhatIsQueuedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var fs []*future.Future[int]
		for i := range 3 {
			f, err := executor.Submit(p, pooltest.Value(i, time.Hour))
			require.NoError(t, err)
			fs = append(fs, f)
		}
		start := time.Now()
		assert.NoError(t, p.Close())
		assert.Equal(t, 3*time.Hour, time.Since(start))
		assert.Equal(t, []string{"0", "1", "2"}, esOutcomes(t, fs))
	})
}

func TestES062_CloseAfterShutdownWaits(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(3, time.Hour))
		require.NoError(t, err)
		start := time.Now()
		p.Pool.Shutdown()
		assert.False(t, probe.IsClosed(p.Pool.Terminated()))
		assert.NoError(t, p.Pool.Close())
		assert.Equal(t, time.Hour, time.Since(start))
		assert.Equal(t, future.Succeeded, f.State())
	})
}

func TestES062_CloseAfterTheEndDoesNothing(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		require.NoError(t, p.Pool.Close())
		before := p.Pool.Stats()
		for range 3 {
			assert.NoError(t, p.Pool.Close())
			report, err := p.Pool.CloseContext(pooltest.Ended(t))
			assert.NoError(t, err)
			assert.Empty(t, report.Dropped)
			assert.Empty(t, report.Running)
		}
		assert.Equal(t, before, p.Pool.Stats())
	})
}

func TestES063_CloseWithAnEndedContextStopsThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		runs, err := executor.Submit(p, pooltest.Value(1, time.Hour), executor.Name("runs"))
		require.NoError(t, err)
		waits, err := executor.Submit(p, pooltest.Value(2, 0), executor.Name("waits"))
		require.NoError(t, err)
		synctest.Wait()
		report, err := p.CloseContext(pooltest.Ended(t))
		assert.ErrorIs(t, err, context.Canceled)
		assert.Equal(t, []string{"waits"}, pooltest.Names(report.Dropped))
		pooltest.CancelledFor(t, waits, executor.ErrShutdown)
		<-p.Terminated()
		_, err = runs.Get(t.Context())
		assert.Equal(t, executor.ErrShutdown, err)
		assert.Equal(t, future.StateFailed, runs.State(), "it ended by itself, as it was told")
	})
}

func TestES063_TheEndOfTheContextDuringCloseStopsThePool(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		f, err := executor.Submit(p.Submitter, pooltest.Value(1, time.Hour))
		require.NoError(t, err)
		start := time.Now()
		_, err = p.Pool.CloseContext(pooltest.Within(t, time.Minute))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		<-p.Pool.Terminated()
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, future.StateFailed, f.State())
	})
}

func TestES064_CloseWaitsAsLongAsABodyDoes(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		_, err := executor.Submit(p.Submitter, func(context.Context) (int, error) {
			time.Sleep(5000 * time.Hour)
			return 1, nil
		})
		require.NoError(t, err)
		start := time.Now()
		assert.NoError(t, p.Pool.Close())
		assert.Equal(t, 5000*time.Hour, time.Since(start))
	})
}

func TestES064_CloseContextDoesNotWaitForABodyThatDoesNotHeed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		_, err := p.Submit(pooltest.NewGate(t).Hold, executor.Name("deaf"))
		require.NoError(t, err)
		start := time.Now()
		report, err := p.CloseContext(pooltest.Within(t, time.Minute))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		require.Len(t, report.Running, 1)
		assert.Equal(t, "deaf", report.Running[0].Name)
		assert.Equal(t, time.Minute, report.Running[0].For)
		assert.False(t, probe.IsClosed(p.Terminated()))
	})
}

// There is no cleaner that closes a pool: what nobody holds any more ends by itself, if it may.
func TestES072_APoolWithoutWorkersIsGarbageOnceNobodyHoldsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := func() weak.Pointer[executor.Pool] {
			p := pooltest.NewCached()
			_, err := executor.InvokeAll(
				t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, time.Second),
			)
			require.NoError(t, err)
			probe.Elapse(time.Minute)
			require.Zero(t, p.Stats().Workers)
			return weak.Make(p)
		}()
		for i := 0; i < 100 && used.Value() != nil; i++ {
			runtime.GC()
		}
		assert.Nil(t, used.Value())
	})
}

func TestES072_APoolThatNobodyHoldsRunsWhatItHasAccepted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int32
		func() {
			p := executor.NewPool(1, executor.Confined(), executor.CoreTimeout())
			for range 10 {
				require.NoError(t, p.Execute(func(context.Context) error {
					time.Sleep(time.Second)
					runtime.GC()
					runs.Add(1)
					return nil
				}))
			}
		}()
		probe.Elapse(time.Minute)
		assert.EqualValues(t, 10, runs.Load())
	})
}

func TestES073_TheSizesOfASinglePoolAreFixedAndTheRestIsNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(1, executor.Confined(), executor.Queue(queue.Bounded(1))))
		assert.ErrorIs(t, p.SetCoreSize(2), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetCoreSize(0), executor.ErrInvalid)
		assert.ErrorIs(t, p.SetMaximumSize(2), executor.ErrInvalid)
		s := p.Stats()
		assert.Equal(t, []int{1, 1}, []int{s.Core, s.Maximum})

		assert.NoError(t, p.SetKeepAlive(time.Second))
		assert.NoError(t, p.SetCoreTimeout(true))
		assert.NoError(
			t, p.SetRejectionPolicy(func(*rejection.Task) error { return pooltest.ErrTask }),
		)
		assert.True(t, p.PrestartWorker())
		g := pooltest.NewGate(t)
		var errs []error
		for range 4 {
			errs = append(errs, p.Execute(g.Hold))
			synctest.Wait()
		}
		assert.Equal(t, []error{nil, nil, pooltest.ErrTask, pooltest.ErrTask}, errs)
		assert.Equal(t, 1, p.Stats().Largest)
		g.Open()
		probe.Elapse(time.Second)
		assert.Zero(t, p.Stats().Workers)
	})
}

func TestES073_ASingleWorkerThatATaskEndsIsReplaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.Stop(t, executor.NewPool(1, executor.Confined()))
		f, err := p.Submit(pooltest.Goexit)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrGoexit)
		v, err := executor.InvokeAny(t.Context(), p, pooltest.Value(2, 0))
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
		assert.Equal(t, 1, p.Stats().Largest)
	})
}
