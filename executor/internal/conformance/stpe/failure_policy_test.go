package stpe_test

import (
	"context"
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

func TestB_13_FailurePolicyContinue_TheSeriesGoesOnInStepAndTheHandlerIsToldOfEachFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fail := map[string]func() error{
			"error":  func() error { return pooltest.ErrTask },
			"panic":  func() error { panic(pooltest.ErrTask) },
			"goexit": func() error { runtime.Goexit(); return nil },
		}
		for name, fails := range fail {
			var told []uint64
			var cause error
			p := startPool(t, 1, executor.ErrorHandler(func(_ context.Context, run executor.Run, err error) {
				told, cause = append(told, run.Number), err
			}))
			d := startDiary()
			f, err := p.AtFixedRate(0, 10*time.Second, func(ctx context.Context) error {
				d.write("a")
				if run, _ := executor.RunFrom(ctx); run.Number%2 == 0 {
					return fails()
				}
				return nil
			}, executor.FailurePolicy(executor.Continue))
			require.NoError(t, err)
			time.Sleep(45 * time.Second)
			synctest.Wait()

			assert.Equal(t, theSeconds(0, 10, 20, 30, 40), d.theTimes(), name)
			assert.Equal(t, []uint64{2, 4}, told, name)
			if name == "goexit" {
				require.ErrorIs(t, cause, future.ErrGoexit)
			} else {
				require.ErrorIs(t, cause, pooltest.ErrTask, name)
			}
			assert.False(t, f.State().Settled(), name)
			assert.Equal(t, uint64(2), p.Stats().Failures, name)
			assert.Equal(t, uint64(5), p.Stats().Runs, name)
			require.NoError(t, p.Close())
		}
	})
}

func TestFailurePolicyContinue_WithoutAHandlerFailuresAreLoggedSparingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		p := startPool(t, 1, log)
		_, err := p.WithFixedDelay(0, 10*time.Second, func(context.Context) error { return pooltest.ErrTask },
			executor.FailurePolicy(executor.Continue), executor.Name("nightly"))
		require.NoError(t, err)
		time.Sleep(25 * time.Second)
		synctest.Wait()
		require.Len(t, records(), 2, "of three")
		assert.Contains(t, records()[1], "task=nightly run=2")
	})
}

func TestFailurePolicyContinue_AFailureOfTheLastRunIsNoEndByFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, records := theLog()
		var told []uint64
		p := startPool(t, 1, log, executor.ErrorHandler(func(_ context.Context, run executor.Run, _ error) {
			told = append(told, run.Number)
		}))
		f, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return pooltest.ErrTask },
			executor.FailurePolicy(executor.Continue), executor.MaxRuns(3))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.NoError(t, err, "a series succeeds after its runs, and failures do not end this one")
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.Equal(t, []uint64{1, 2, 3}, told)
		assert.Empty(t, records(), "the handler was told")
	})
}

func TestFailurePolicyContinue_ATaskThatRunsOnceIgnoresThePolicy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		f, err := p.Schedule(0, func(context.Context) error { return pooltest.ErrTask }, executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.Same(t, pooltest.ErrTask, err)
	})
}

func TestFailurePolicy_AnUnknownPolicyIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := startPool(t, 1)
		_, err := p.AtFixedRate(0, time.Second, pooltest.Nothing, executor.FailurePolicy(executor.Continue+1))
		require.ErrorIs(t, err, executor.ErrInvalid)
	})
}
