package faults_test

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// The tests of this file are about user code that fails where one does not look for it, and about
// what must be gone afterwards.

// badError is an error of a kind that happens: a nil pointer in an error, whose methods panic.
func badError() error {
	var e *fs.PathError
	return e
}

func TestAnErrorWhoseMethodsPanicHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		defer p.Close()
		require.NoError(t, p.Execute(func(context.Context) error { return badError() }))
		_, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return badError() }, executor.MaxRuns(1))
		require.NoError(t, err)
		late, err := p.Submit(func(context.Context) error {
			time.Sleep(time.Minute)
			return badError()
		}, executor.Timeout(time.Second))
		require.NoError(t, err)
		<-late.Stopped()
		_, err = late.Get(t.Context())
		assert.EqualError(t, err, "executor: timed out after 1s")
		synctest.Wait()
		assert.EqualValues(t, 3, p.Stats().Failures)
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// brokenLog is a log handler that panics.
type brokenLog struct{ slog.Handler }

func (brokenLog) Enabled(context.Context, slog.Level) bool  { return true }
func (brokenLog) Handle(context.Context, slog.Record) error { panic("disk full") }

func TestH4_ALogThatPanicsHarmsNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1, executor.Logger(slog.New(brokenLog{})))
		defer p.Close()
		require.NoError(t, p.Execute(func(context.Context) error { panic("told to nobody") }))
		f, err := p.Submit(pooltest.Nothing)
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.NoError(t, err)
	})
}

func TestALowerCoreSizeTakesEffectUnderBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(8)
		for range 100 {
			require.NoError(t, p.Execute(pooltest.Pause(time.Second)))
		}
		time.Sleep(1500 * time.Millisecond)
		require.NoError(t, p.SetCoreSize(2))
		time.Sleep(time.Second)
		synctest.Wait()
		assert.Equal(t, 2, p.Stats().Workers)
		assert.Equal(t, 2, p.Stats().Busy)
		assert.Positive(t, p.Stats().Queued)
		require.NoError(t, p.Close())
		assert.EqualValues(t, 100, p.Stats().Completed)
	})
}

func TestAWorkerThatMayGoDoesNotStayForACancelledTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, p := range []*executor.ScheduledPool{
			executor.NewScheduledPool(0), executor.NewScheduledPool(2, executor.CoreTimeout()),
		} {
			f, err := p.Schedule(7*24*time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			synctest.Wait()
			require.Equal(t, 1, p.Stats().Workers)
			f.Cancel()
			time.Sleep(time.Second)
			assert.Zero(t, p.Stats().Workers)
			require.NoError(t, p.Close())
		}
	})
}

func TestTheTimeoutOfAnOuterRunIsNotThatOfAnInnerOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		outer := pooltest.NewScheduledPool(t, 1)
		defer outer.Close()
		var inside error
		f, err := outer.Submit(func(ctx context.Context) error {
			inner := pooltest.NewScheduledPool(t, 1, executor.BaseContext(ctx))
			defer inner.Close()
			g, err := inner.Submit(func(ctx context.Context) error {
				<-ctx.Done()
				return nil // in time for its own limit
			}, executor.Timeout(time.Hour))
			if err != nil {
				return err
			}
			<-g.Stopped()
			_, inside = g.Get(context.Background())
			return nil
		}, executor.Timeout(time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		_, err = f.Get(t.Context())
		assert.EqualError(t, err, "executor: timed out after 1s")
		assert.NoError(t, inside, "the inner task was within its own limit")
	})
}

func TestATimeoutDuringTheBeforeHookKeepsTheBodyFromBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.BeforeRun(func(context.Context, executor.Run) { time.Sleep(time.Minute) }))
		defer p.Close()
		began := false
		f, err := p.Submit(func(context.Context) error { began = true; return nil }, executor.Timeout(time.Second))
		require.NoError(t, err)
		<-f.Stopped()
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.False(t, began)
	})
}

func TestThePoolDoesNotEndBeforeATimeoutIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := false
		p := pooltest.NewScheduledPool(t, 1, executor.ErrorHandler(func(context.Context, executor.Run, error) {
			time.Sleep(time.Minute)
			told = true
		}))
		f, err := p.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
			<-ctx.Done()
			return nil
		}, executor.Timeout(time.Second), executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		require.NoError(t, p.Close())
		assert.True(t, told)
	})
}

func TestAllOverOnesOwnFutureIsASelfWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		self := make(chan *future.Future[struct{}], 1)
		f, err := p.Submit(func(ctx context.Context) error {
			_, err := future.All(ctx, future.Of(struct{}{}), <-self)
			return err
		})
		require.NoError(t, err)
		self <- f
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}

func TestRunFromSeesThroughATaskRunByHand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		defer p.Close()
		f, err := executor.Submit(p, func(ctx context.Context) (string, error) {
			inner := future.NewTask(func(ctx context.Context) (string, error) {
				run, _ := executor.RunFrom(ctx)
				return run.Name, nil
			})
			inner.Run(ctx)
			return inner.Future().Get(ctx)
		}, executor.Name("outer"))
		require.NoError(t, err)
		name, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "outer", name)
	})
}

// heavyError holds on to memory.
type heavyError struct{ load *[1 << 20]byte }

func (heavyError) Error() string { return "heavy" }

func TestB_16_AnIdleWorkerHoldsNothingOfItsLastTask(t *testing.T) {
	p := pooltest.NewScheduledPool(t, 1)
	defer p.Close()
	collected := make(chan struct{})
	func() {
		e := heavyError{new([1 << 20]byte)}
		runtime.AddCleanup(e.load, func(c chan struct{}) { close(c) }, collected)
		f, err := p.Submit(func(context.Context) error { return e })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.True(t, errors.As(err, new(heavyError)))
	}()
	for {
		runtime.GC()
		select {
		case <-collected:
			return
		case <-time.After(time.Millisecond):
		}
	}
}

func TestACancellationDoesNotKeepIdleWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(4, executor.CoreTimeout(), executor.KeepAlive(10*time.Millisecond))
		defer p.Close()
		for range 4 {
			require.NoError(t, p.Execute(pooltest.Pause(time.Millisecond)))
		}
		time.Sleep(5 * time.Millisecond)
		require.Equal(t, 4, p.Stats().Workers)
		for range 20 {
			f, err := p.Schedule(time.Hour, pooltest.Nothing)
			require.NoError(t, err)
			synctest.Wait()
			f.Cancel()
			time.Sleep(5 * time.Millisecond)
		}
		assert.Equal(t, 1, p.Stats().Workers, "only the one that was called to lead has a reason to stay")
	})
}
