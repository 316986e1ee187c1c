package es_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/future"
)

func TestES020_ES021_A18_AnyOfNothingIsInvalid(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		for _, fns := range [][]future.Func[int]{nil, {}} {
			_, err := executor.InvokeAny(t.Context(), p.Submitter, fns...)
			assert.ErrorIs(t, err, executor.ErrInvalid)
		}
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES022_ANilFunctionIsFoundBeforeAnyStarts(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		_, err := executor.InvokeAny(
			t.Context(), p.Submitter, pooltest.Value(1, 0), pooltest.Value(2, 0), nil,
		)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES023_A18_AnyOfFailuresIsAllOfThem(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		other := errors.New("another failure")
		v, err := executor.InvokeAny(
			t.Context(), p.Submitter, pooltest.Failure(pooltest.ErrTask, time.Second),
			pooltest.Failure(other, 0), func(context.Context) (int, error) { panic("no") },
		)
		assert.Zero(t, v)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.ErrorIs(t, err, other)
		var panicked *future.PanicError
		assert.ErrorAs(t, err, &panicked)
	})
}

func TestES023_FailuresAreJoinedInTheOrderInWhichTheyHappened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := executor.InvokeAny(
			t.Context(), pooltest.NewPool(t, 3), pooltest.Failure(errors.New("late"), 3*time.Second),
			pooltest.Failure(errors.New("early"), time.Second),
			pooltest.Failure(errors.New("between"), 2*time.Second),
		)
		assert.EqualError(t, err, "early\nbetween\nlate")
	})
}

func TestES024_TheFirstSuccessCountsAndFailuresBeforeItDoNot(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		start := time.Now()
		v, err := executor.InvokeAny(
			t.Context(), p.Submitter, pooltest.Failure(pooltest.ErrTask, 0),
			pooltest.Failure(pooltest.ErrTask, time.Second), pooltest.Value(3, time.Second),
		)
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.LessOrEqual(t, time.Since(start), 2*time.Second)
	})
}

func TestES024_ASuccessEndsTheContextsOfThoseThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 3)
		var seen [2]error
		start := time.Now()
		v, err := executor.InvokeAny(
			t.Context(), p, pooltest.Heeding(&seen[0]), pooltest.Value(7, time.Second),
			pooltest.Heeding(&seen[1]),
		)
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Equal(t, time.Second, time.Since(start))
		synctest.Wait()
		assert.Error(t, seen[0])
		assert.Error(t, seen[1])
		assert.EqualValues(t, 2, p.Stats().Cancelled)
	})
}

func TestES024_ASuccessKeepsThoseThatWaitFromBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(2)), executor.OnRejection(rejection.CallerRuns))
		g := pooltest.NewGate(t)
		require.NoError(t, p.Execute(g.Hold))
		synctest.Wait()
		var calls atomic.Int32
		waits := pooltest.Counted(&calls, pooltest.Value(0, 0))
		v, err := executor.InvokeAny(t.Context(), p, waits, waits, pooltest.Value(7, 0)) // by the caller
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Zero(t, p.Stats().Queued)
		g.Open()
		synctest.Wait()
		assert.Zero(t, calls.Load())
		s := p.Stats()
		assert.Equal(t, []uint64{4, 2, 2}, []uint64{s.Accepted, s.Completed, s.Cancelled})
	})
}

func TestES024_ASuccessDoesNotWaitForBodiesThatGoOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		start := time.Now()
		_, err := executor.InvokeAny(t.Context(), p, func(context.Context) (int, error) {
			time.Sleep(time.Hour)
			return 1, nil
		}, pooltest.Value(2, time.Second))
		assert.NoError(t, err)
		assert.Equal(t, time.Second, time.Since(start))
		synctest.Wait() // until the worker that brought the value is done with it
		assert.Equal(t, 1, p.Stats().Busy)
	})
}

func TestES024_AZeroValueIsASuccess(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		v, err := executor.InvokeAny(
			t.Context(), p.Submitter, func(context.Context) (*int, error) { return nil, nil },
		)
		assert.NoError(t, err)
		assert.Nil(t, v)
	})
}

// A synchronous executor shows the order of submissions without a race.
func TestES025_FunctionsAreStartedInOrderAndNoneAfterASuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewDirectPool(t)
		var order []int
		fn := func(v int, err error) future.Func[int] {
			return func(context.Context) (int, error) {
				order = append(order, v)
				return v, err
			}
		}
		v, err := executor.InvokeAny(
			t.Context(), p, fn(1, pooltest.ErrTask), fn(2, pooltest.ErrTask), fn(3, nil), fn(4, nil),
			fn(5, pooltest.ErrTask),
		)
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Equal(t, []int{1, 2, 3}, order)
		assert.EqualValues(t, 1+3, p.Stats().Accepted)
	})
}

func TestES026_AnEndedContextStartsNothing(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		_, err := executor.InvokeAny(
			pooltest.Ended(t), p.Submitter, pooltest.Value(1, 0), pooltest.Value(2, 0),
		)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES026_TheEndOfTheContextCancelsAllThatWasStarted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(pooltest.ErrCause) })
		var seen [2]error
		var calls atomic.Int32
		start := time.Now()
		_, err := executor.InvokeAny(
			ctx, p, pooltest.Heeding(&seen[0]), pooltest.Heeding(&seen[1]),
			pooltest.Counted(&calls, pooltest.Value(1, 0)),
		)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Equal(t, time.Minute, time.Since(start))
		synctest.Wait()
		assert.Error(t, seen[0])
		assert.Error(t, seen[1])
		assert.Zero(t, calls.Load())
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
	})
}

func TestES026_ARefusedFunctionCancelsTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		var seen error
		_, err := executor.InvokeAny(t.Context(), p, pooltest.Heeding(&seen), pooltest.Value(1, 0))
		assert.ErrorIs(t, err, executor.ErrSaturated)
		synctest.Wait()
		assert.Zero(t, p.Stats().Busy)
	})
}

func TestES026_AShutDownPoolRefusesThemAll(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		p.Pool.Shutdown()
		_, err := executor.InvokeAny(t.Context(), p.Submitter, pooltest.Value(1, 0), pooltest.Value(2, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.EqualValues(t, 1, p.Pool.Stats().Rejected)
	})
}

func TestES030_ES031_BadArgumentsCountMoreThanAnEndedContext(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		for _, ctx := range []context.Context{pooltest.Within(t, time.Hour), pooltest.Within(t, 0), pooltest.Ended(t), nil} {
			_, err := executor.InvokeAny[int](ctx, p.Submitter)
			assert.ErrorIs(t, err, executor.ErrInvalid)
			_, err = executor.InvokeAny(ctx, p.Submitter, pooltest.Value(1, 0), nil)
			assert.ErrorIs(t, err, executor.ErrNilTask)
		}
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES032_WhenAllHaveFailedTheDeadlineIsNotAwaited(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		start := time.Now()
		_, err := executor.InvokeAny(
			pooltest.Within(t, time.Hour), p, pooltest.Failure(pooltest.ErrTask, 0),
			pooltest.Failure(pooltest.ErrTask, 0),
		)
		assert.ErrorIs(t, err, pooltest.ErrTask)
		assert.NotErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, time.Since(start))
	})
}

func TestES033_ASuccessIsReturnedAtOnce(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		start := time.Now()
		v, err := executor.InvokeAny(
			pooltest.Within(t, time.Hour), p, pooltest.Value(1, 0), pooltest.Value(1, 0),
		)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
		assert.Zero(t, time.Since(start))
	})
}

func TestES034_TheDeadlineEndsTheWaitAndTheFunctions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		var seen [2]error
		start := time.Now()
		_, err := executor.InvokeAny(
			pooltest.Within(t, time.Minute), p, pooltest.Heeding(&seen[0]), pooltest.Heeding(&seen[1]),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		synctest.Wait()
		assert.Error(t, seen[0])
		assert.Error(t, seen[1])
	})
}

// Java submits all of them first, even if there is no time.
func TestES034_WithoutTimeNothingIsStarted(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		_, err := executor.InvokeAny(pooltest.Within(t, 0), p, pooltest.Value(1, 0))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES034_ASuccessBeforeTheDeadlineCountsEvenIfItIsSeenLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(
			t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(func(*rejection.Task) error {
				time.Sleep(time.Hour) // the submitter is held up beyond the deadline
				return nil
			}),
		)
		v, err := executor.InvokeAny(
			pooltest.Within(t, time.Minute), p, pooltest.Value(1, time.Second), pooltest.Value(2, 0),
		)
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

func TestES034_ANilContextNeverEnds(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		v, err := executor.InvokeAny(nil, p.Submitter, pooltest.Value(1, 1000*time.Hour))
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}
