package stpe_test

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
)

// Java throws from the constructor; a bad size is a mistake in the program, so ours panics.
func TestSTPE001_BadConstructorArgumentsPanicWithTheReason(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.PanicsWithValue(t, "executor: negative core size -1", func() {
			executor.NewScheduledPool(-1)
		})
		assert.PanicsWithValue(t, "executor: option 1 is nil", func() {
			executor.NewScheduledPool(1, executor.Name("p"), nil)
		})
	})
}

func TestSTPE001_CoreSizeZeroIsLegal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 0)
		f, err := executor.Submit(p, pooltest.Typed(pooltest.Nothing))
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
	})
}

func TestSTPE001_AFreshPoolHasNoWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := startPool(t, math.MaxInt).Stats()
		assert.Zero(t, s.Workers)
		assert.Zero(t, s.Largest)
		assert.Equal(t, "running", s.State)
	})
}

func TestSTPE002_TheMaximumSizeIsUnboundedByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		assert.Zero(t, startPool(t, 1).Stats().Maximum)
	})
}

// The keep-alive shows in a pool of core size 0, whose only worker is surplus when idle.
func TestSTPE002_AnIdleSurplusWorkerStaysTenMilliseconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 0)
		require.NoError(t, p.Execute(pooltest.Nothing))
		time.Sleep(10*time.Millisecond - 1)
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		time.Sleep(1)
		synctest.Wait()
		assert.Zero(t, p.Stats().Workers)
	})
}

// Java calls a handler that throws; ours returns the error.
func TestSTPE003_ARefusalIsAnErrorByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		p.Shutdown()
		err := p.Execute(pooltest.Nothing)
		require.ErrorIs(t, err, executor.ErrRejected)
		require.ErrorIs(t, err, executor.ErrShutdown)
		assert.NotErrorIs(t, err, executor.ErrSaturated)
	})
}

func TestSTPE004_DelayedTasksSurviveShutdownByDefaultAndPeriodicOnesDoNot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		assert.True(t, p.ExecuteDelayedAfterShutdown())
		assert.False(t, p.ContinuePeriodicAfterShutdown())
	})
}

func TestSTPE004_PoliciesEchoTheLastValueSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		for _, on := range []bool{false, true, true, false} {
			p.SetExecuteDelayedAfterShutdown(on)
			p.SetContinuePeriodicAfterShutdown(!on)
			assert.Equal(t, on, p.ExecuteDelayedAfterShutdown())
			assert.Equal(t, !on, p.ContinuePeriodicAfterShutdown())
		}
	})
}

func TestSTPE004_IdleCoreWorkersStayByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		require.NoError(t, p.Execute(pooltest.Nothing))
		time.Sleep(24 * time.Hour)
		assert.Equal(t, 1, p.Stats().Workers)
	})
}

// Java keeps cancelled tasks until they are due, unless told otherwise; ours never does.
func TestSTPE004_CancelledTasksAreRemovedByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(time.Hour, func(context.Context) error { return nil })
		require.NoError(t, err)
		require.Equal(t, 1, p.Stats().Queued)
		f.Cancel()
		assert.Zero(t, p.Stats().Queued)
	})
}

func TestSTPE006_TheCoreSizeIsThatOfTheConstructorUntilChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 3)
		assert.Equal(t, 3, p.Stats().Core)
		require.NoError(t, p.SetCoreSize(5))
		assert.Equal(t, 5, p.Stats().Core)
	})
}

func TestSTPE006_ARefusedCoreSizeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 3, executor.MaximumSize(4))
		require.ErrorIs(t, p.SetCoreSize(-1), executor.ErrInvalid)
		require.ErrorIs(t, p.SetCoreSize(5), executor.ErrInvalid)
		assert.Equal(t, 3, p.Stats().Core)
	})
}
