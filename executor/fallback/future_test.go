package fallback_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/fallback"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// slow returns 7 after a minute, whatever its context says.
func slow(context.Context) (int, error) {
	time.Sleep(time.Minute)
	return 7, nil
}

// foreign is a Submitter that the module does not know.
type foreign struct{ executor.Submitter }

func with(
	t *testing.T, p executor.Submitter, fn future.Func[int], opts ...executor.TaskOption,
) *fallback.Future[int] {
	f, err := executor.Submit(p, fn, opts...)
	require.NoError(t, err)
	return fallback.New(f, 42)
}

// each runs a test with each kind of Submitter.
func each(t *testing.T, test func(t *testing.T, p executor.Submitter)) {
	for name, make := range map[string]func(p *executor.ScheduledPool) executor.Submitter{
		"pool":   func(p *executor.ScheduledPool) executor.Submitter { return p },
		"serial": func(p *executor.ScheduledPool) executor.Submitter { return serial.New(p) },
		"keyed": func(p *executor.ScheduledPool) executor.Submitter {
			return serial.NewKeyed[int](p).For(1)
		},
		"foreign": func(p *executor.ScheduledPool) executor.Submitter { return foreign{p} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewScheduledPool(2)
				test(t, make(p))
				require.NoError(t, p.Close())
			})
		})
	}
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := eventloop.New()
			test(t, l)
			require.NoError(t, l.Close())
		})
	})
}

func TestTheFallbackIsThereWhenTheTimeIsOver(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		start := time.Now()
		f := with(t, p, slow, executor.Timeout(time.Second))
		_, settled := f.Poll()
		assert.False(t, settled)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
		assert.Equal(t, time.Second, time.Since(start))
		assert.True(t, f.TooLate())
		r, settled := f.Poll()
		assert.Equal(t, future.Result[int]{Value: 42}, r)
		assert.True(t, settled)
		<-f.Stopped()
		if _, ok := p.(foreign); !ok { // whose future stands for the task as far as it is known
			assert.Equal(t, time.Minute, time.Since(start), "Stopped is later")
		}
		v, err = f.GetTimeout(0)
		require.NoError(t, err)
		assert.Equal(t, 42, v, "the value of the body comes too late")
	})
}

func TestTheFallbackIsThereWhenATaskHasNotBegunInTime(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		for range 2 {
			require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		}
		start := time.Now()
		f := with(t, p, slow, executor.BeginWithin(time.Second))
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
		assert.Equal(t, time.Second, time.Since(start).Truncate(time.Second))
		assert.True(t, f.TooLate())
		<-f.Stopped()
		_, err = f.Future.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrExpired, "the future of the task has the error")
	})
}

func TestAValueInTimeIsTheValue(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		f := with(t, p, slow, executor.Timeout(time.Hour), executor.BeginWithin(time.Hour))
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.False(t, f.TooLate())
	})
}

func TestAFailureOfTheBodyStaysOne(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		for _, mine := range []error{
			errors.New("mine"), future.ErrTimeout, executor.ErrExpired, context.DeadlineExceeded,
			fmt.Errorf("of another: %w", future.ErrTimeout),
		} {
			fails := func(context.Context) (int, error) { return 1, mine }
			f := with(t, p, fails, executor.Timeout(time.Hour), executor.BeginWithin(time.Hour))
			_, err := f.Get(t.Context())
			assert.ErrorIs(t, err, mine)
			assert.False(t, f.TooLate())
		}
	})
}

func TestTheLatenessOfAnotherTaskIsAFailureOfTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(2, executor.Defaults(executor.Timeout(time.Hour)))
		f := with(t, p, func(ctx context.Context) (int, error) {
			f, err := executor.Submit(p, slow, executor.Timeout(time.Second))
			if err != nil {
				return 0, err
			}
			return f.Get(ctx)
		})
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.False(t, f.TooLate())
		require.NoError(t, p.Close())
	})
}

func TestACancellationStaysOne(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		f := with(t, p, slow, executor.Timeout(time.Second))
		time.Sleep(time.Second / 2)
		assert.True(t, f.Cancel())
		time.Sleep(time.Hour)
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrCancelled)
		assert.False(t, f.TooLate())
		assert.False(t, f.Cancel())
	})
}

func TestACancellationAfterTheTimeIsOverComesTooLate(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		f := with(t, p, slow, executor.Timeout(time.Second))
		time.Sleep(2 * time.Second)
		assert.False(t, f.Cancel())
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
	})
}

func TestAShutdownIsNoLateness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second)))
		f := with(t, p, slow, executor.BeginWithin(time.Minute))
		synctest.Wait()
		p.ShutdownNow()
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.False(t, f.TooLate())
		<-p.Terminated()
	})
}

func TestAnAttemptThatIsTooLateIsTriedAgainFirst(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		attempts := 0
		f := with(t, p, func(context.Context) (int, error) {
			attempts++
			time.Sleep(2 * time.Second)
			return 7, nil
		}, executor.Timeout(time.Second), executor.Retry(3, retry.Backoff{Base: time.Second}))
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
		assert.True(t, f.TooLate())
		<-f.Stopped()
		synctest.Wait()
		assert.Equal(t, 3, attempts)
	})
}

func TestAWaitWithATimeLimitHasNoFallback(t *testing.T) {
	each(t, func(t *testing.T, p executor.Submitter) {
		f := with(t, p, slow, executor.Timeout(time.Hour))
		_, err := f.GetTimeout(time.Second)
		assert.ErrorIs(t, err, future.ErrTimeout)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = f.Get(ctx)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

func TestAFallbackOfHedgedCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(3)
		cancelled := make(chan struct{}, 9)
		call := func(ctx context.Context) (int, error) {
			<-ctx.Done()
			cancelled <- struct{}{}
			return 0, ctx.Err()
		}
		start := time.Now()
		f := with(t, p, func(ctx context.Context) (int, error) {
			return bulk.InvokeAnyHedged(ctx, p, 300*time.Millisecond, call, call)
		}, executor.Timeout(time.Second))
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
		assert.Equal(t, time.Second, time.Since(start))
		<-f.Stopped()
		synctest.Wait()
		assert.Len(t, cancelled, 2)
		require.NoError(t, p.Close())
	})
}

func TestATaskThatWaitsForAFallbackLendsItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
			return with(t, p, slow, executor.Timeout(time.Second)).Get(ctx)
		})
		require.NoError(t, err)
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 42, v)
		require.NoError(t, p.Close())
	})
}

func TestASeriesThatALateRunEndsHasFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewScheduledPool(1)
		f, err := p.Every(time.Second, pooltest.Sleep(time.Minute), executor.Timeout(time.Second),
			executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		late := fallback.New(f.Future, struct{}{})
		_, err = late.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.False(t, late.TooLate())
		require.NoError(t, p.Close())
	})
}

func TestAPromiseThatItsOwnerFailsForLatenessIsTakenAtItsWord(t *testing.T) {
	f := fallback.New(future.Failed[int](future.ErrTimeout), 42)
	_, err := f.Get(t.Context())
	assert.NoError(t, err)
	assert.Panics(t, func() { fallback.New[int](nil, 42) })
}
