package es_test

import (
	"context"
	"fmt"
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
	"github.com/punctual-go/punctual/internal/delay"
)

// esOutcomes tells the values and errors of futures that must be settled.
func esOutcomes(t *testing.T, fs []*future.Future[int]) []string {
	t.Helper()
	outcomes := make([]string, len(fs))
	for i, f := range fs {
		r, settled := f.Poll()
		require.True(t, settled, "future %d is %v", i, f)
		if outcomes[i] = fmt.Sprint(r.Value); r.Err != nil {
			outcomes[i] = f.State().String()
		}
	}
	return outcomes
}

func TestES040_ES050_A18_AllOfNothingIsEmptyWhateverTheContext(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		for _, ctx := range []context.Context{t.Context(), pooltest.Within(t, time.Hour), pooltest.Within(t, 0), pooltest.Ended(t), nil} {
			for _, fns := range [][]future.Func[int]{nil, {}} {
				fs, err := executor.InvokeAll(ctx, p.Submitter, fns...)
				assert.NoError(t, err)
				assert.NotNil(t, fs)
				assert.Empty(t, fs)
			}
		}
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES041_ES051_ANilFunctionStartsNothing(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		for _, ctx := range []context.Context{t.Context(), pooltest.Within(t, time.Hour), pooltest.Within(t, 0), nil} {
			fs, err := executor.InvokeAll(ctx, p.Submitter, pooltest.Value(1, 0), nil, pooltest.Value(2, 0))
			assert.ErrorIs(t, err, executor.ErrNilTask)
			assert.Nil(t, fs)
		}
		assert.Zero(t, p.Pool.Stats().Accepted)
	})
}

func TestES042_TheFuturesComeInTheOrderOfTheFunctionsAndAllAreSettled(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		fs, err := executor.InvokeAll(
			t.Context(), p.Submitter, pooltest.Value(1, 3*time.Second), pooltest.Value(2, time.Second),
			pooltest.Value(3, 0), pooltest.Value(4, 2*time.Second), pooltest.Value(5, 0),
			pooltest.Value(6, 0),
		)
		assert.NoError(t, err)
		assert.Equal(t, []string{"1", "2", "3", "4", "5", "6"}, esOutcomes(t, fs))
	})
}

func TestES042_AFailureIsTheBusinessOfItsOwnFuture(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		fs, err := executor.InvokeAll(
			t.Context(), p.Submitter, pooltest.Failure(pooltest.ErrTask, 0), pooltest.Value(2, time.Second),
			func(context.Context) (int, error) { panic("no") }, pooltest.Value(4, 0),
		)
		assert.NoError(t, err)
		assert.Equal(t, []string{"failed", "2", "failed", "4"}, esOutcomes(t, fs))
		_, err = fs[0].Get(t.Context())
		assert.Equal(t, pooltest.ErrTask, err)
	})
}

func TestES042_TheFunctionsRunSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := executor.InvokeAll(
			t.Context(), pooltest.NewPool(t, 3), pooltest.Value(1, time.Second),
			pooltest.Value(2, 3*time.Second), pooltest.Value(3, 2*time.Second),
			pooltest.Value(4, 2*time.Second),
		)
		assert.NoError(t, err)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestES042_A13_ANilContextNeverEnds(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		fs, err := executor.InvokeAll(nil, p.Submitter, pooltest.Value(1, 1000*time.Hour))
		assert.NoError(t, err)
		assert.Equal(t, []string{"1"}, esOutcomes(t, fs))
	})
}

func TestES043_TheEndOfTheContextCancelsWhatHasNotEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(pooltest.ErrCause) })
		var seen [2]error
		var calls atomic.Int32
		start := time.Now()
		fs, err := executor.InvokeAll(
			ctx, p, pooltest.Value(1, 0), pooltest.Heeding(&seen[0]), pooltest.Heeding(&seen[1]),
			pooltest.Counted(&calls, pooltest.Value(4, 0)),
		)
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, []string{"1", "cancelled", "cancelled", "cancelled"}, esOutcomes(t, fs))
		synctest.Wait()
		for i, f := range fs[1:] {
			pooltest.CancelledFor(t, f, pooltest.ErrCause)
			if i < len(seen) {
				assert.ErrorIs(t, seen[i], pooltest.ErrCause)
			}
		}
		assert.Zero(t, calls.Load())
		s := p.Stats()
		assert.Equal(t, []int{0, 0}, []int{s.Busy, s.Queued})
	})
}

// What waits is not to begin because something before it has been cancelled, and has made room.
func TestES043_NoFunctionBeginsBecauseAnotherIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		defer delay.Set(func(p delay.Point) {
			if p == delay.CancelledQueued {
				time.Sleep(time.Second) // between two cancellations
			}
		})()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var seen error
		var calls atomic.Int32
		fs, err := executor.InvokeAll(
			ctx, pooltest.NewPool(t, 1), pooltest.Heeding(&seen),
			pooltest.Counted(&calls, pooltest.Value(2, 0)), pooltest.Counted(&calls, pooltest.Value(3, 0)),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, []string{"cancelled", "cancelled", "cancelled"}, esOutcomes(t, fs))
		assert.Zero(t, calls.Load())
	})
}

func TestES043_ARefusalCancelsTheOthersAndIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		synctest.Wait()
		var calls atomic.Int32
		fs, err := executor.InvokeAll(
			t.Context(), p, pooltest.Counted(&calls, pooltest.Value(1, 0)), pooltest.Value(2, 0),
			pooltest.Value(3, 0),
		)
		assert.ErrorIs(t, err, executor.ErrSaturated)
		require.Len(t, fs, 3)
		for _, f := range fs {
			pooltest.CancelledFor(t, f, executor.ErrSaturated)
		}
		s := p.Stats()
		assert.Equal(t, []uint64{2, 1, 1}, []uint64{s.Accepted, s.Cancelled, s.Rejected})
		assert.Zero(t, s.Queued)
		assert.Zero(t, calls.Load())
	})
}

func TestES043_AShutDownPoolRefusesThemAll(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		p.Pool.Shutdown()
		fs, err := executor.InvokeAll(
			t.Context(), p.Submitter, pooltest.Value(1, 0), pooltest.Value(2, 0),
		)
		assert.ErrorIs(t, err, executor.ErrShutdown)
		require.Len(t, fs, 2)
		for _, f := range fs {
			pooltest.CancelledFor(t, f, executor.ErrShutdown)
		}
		assert.EqualValues(t, 1, p.Pool.Stats().Rejected)
	})
}

func TestES044_AllReturnsWhenThePoolIsStopped(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		time.AfterFunc(time.Minute, func() { p.Pool.ShutdownNow() })
		var seen [2]error
		start := time.Now()
		fs, err := executor.InvokeAll(
			t.Context(), p.Submitter, pooltest.Heeding(&seen[0]), pooltest.Heeding(&seen[1]),
			pooltest.Value(3, 0),
		)
		if err != nil { // while it waited for room
			assert.ErrorIs(t, err, executor.ErrShutdown)
		}
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Len(t, esOutcomes(t, fs), 3)
		synctest.Wait()
		assert.ErrorIs(t, seen[0], executor.ErrShutdown)
	})
}

// Whatever moment the shutdown hits, submissions included.
func TestES044_AllReturnsWhereverAShutdownHits(t *testing.T) {
	for round := range 100 {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewPool(t, 2)
			fns := make([]future.Func[int], 20)
			for i := range fns {
				var seen error
				fns[i] = pooltest.Heeding(&seen)
			}
			go func() {
				for p.Stats().Accepted < uint64(round%21) {
				}
				p.ShutdownNow()
			}()
			fs, err := executor.InvokeAll(t.Context(), p, fns...)
			if err != nil {
				assert.ErrorIs(t, err, executor.ErrShutdown)
			}
			assert.Len(t, esOutcomes(t, fs), len(fns))
		})
	}
}

func TestES045_K12_AllReturnsWhenItsTasksAreDroppedByAShutdown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		time.AfterFunc(time.Minute, func() { p.ShutdownNow() })
		start := time.Now()
		fs, err := executor.InvokeAll(t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, 0))
		assert.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start))
		for _, f := range fs {
			pooltest.CancelledFor(t, f, executor.ErrShutdown)
		}
	})
}

func TestES045_K12_AllReturnsWhenAPolicyDiscards(t *testing.T) {
	policies := map[string]rejection.Policy{
		"Discard":        rejection.Discard,
		"nothing at all": func(*rejection.Task) error { return nil },
	}
	for name, policy := range policies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(policy))
				require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
				synctest.Wait()
				fs, err := executor.InvokeAll(
					t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, 0), pooltest.Value(3, 0),
				)
				assert.NoError(t, err)
				assert.Equal(t, []string{"1", "cancelled", "cancelled"}, esOutcomes(t, fs))
				pooltest.CancelledFor(t, fs[2], executor.ErrSaturated)
			})
		})
	}
}

func TestES045_K12_AllReturnsWhenAPolicyDiscardsTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.DiscardOldest))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Minute)))
		synctest.Wait()
		fs, err := executor.InvokeAll(
			t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, 0), pooltest.Value(3, 0),
		)
		assert.NoError(t, err)
		assert.Equal(t, []string{"cancelled", "cancelled", "3"}, esOutcomes(t, fs))
		pooltest.CancelledFor(t, fs[0], executor.ErrSaturated)
	})
}

func TestES052_InTimeADeadlineChangesNothing(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		start := time.Now()
		fs, err := executor.InvokeAll(
			pooltest.Within(t, time.Hour), p, pooltest.Value(1, time.Second),
			pooltest.Failure(pooltest.ErrTask, 0), pooltest.Value(3, time.Second),
		)
		assert.NoError(t, err)
		assert.Equal(t, []string{"1", "failed", "3"}, esOutcomes(t, fs))
		assert.LessOrEqual(t, time.Since(start), 2*time.Second)
	})
}

func TestES053_TheDeadlineCancelsWhatHasNotEndedWhereverItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		fs, err := executor.InvokeAll(
			pooltest.Within(t, 10*time.Second), pooltest.NewPool(t, 2), pooltest.Value(1, time.Hour),
			pooltest.Value(2, time.Second), pooltest.Value(3, time.Second),
			pooltest.Failure(pooltest.ErrTask, 0), pooltest.Value(5, 9*time.Second),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 10*time.Second, time.Since(start))
		assert.Equal(t, []string{"cancelled", "2", "3", "failed", "cancelled"}, esOutcomes(t, fs))
		pooltest.CancelledFor(t, fs[0], context.DeadlineExceeded)
	})
}

func TestES053_BodiesThatDoNotHeedTheirContextAreNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		start := time.Now()
		fs, err := executor.InvokeAll(
			pooltest.Within(t, time.Second), p, func(context.Context) (int, error) {
				time.Sleep(time.Hour)
				return 1, nil
			},
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, 1, p.Stats().Busy)
		<-fs[0].Stopped()
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestES054_OnASynchronousExecutorASlowFunctionKeepsTheNextFromBeingSubmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewDirectPool(t)
		slow := func(context.Context) (int, error) {
			time.Sleep(time.Hour)
			return 2, nil
		}
		fs, err := executor.InvokeAll(
			pooltest.Within(t, time.Minute), p, pooltest.Value(1, 0), slow, pooltest.Value(3, 0),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		require.Len(t, fs, 3)
		assert.Equal(t, "1", esOutcomes(t, fs)[0])
		pooltest.CancelledFor(t, fs[2], context.DeadlineExceeded)
		assert.EqualValues(t, 1+2, p.Stats().Accepted)
	})
}

func TestES054_TheDeadlineEndsWhatTheCallerRunsItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		fs, err := executor.InvokeAll(
			pooltest.Within(t, time.Minute), pooltest.NewDirectPool(t), pooltest.Value(1, time.Hour),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		pooltest.CancelledFor(t, fs[0], context.DeadlineExceeded)
	})
}

func TestES054_WithoutTimeNothingIsSubmitted(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		for _, ctx := range []context.Context{pooltest.Within(t, 0), pooltest.Within(t, -time.Hour)} {
			fs, err := executor.InvokeAll(ctx, p.Submitter, pooltest.Value(1, 0), pooltest.Value(2, 0))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
			require.Len(t, fs, 2)
			for _, f := range fs {
				pooltest.CancelledFor(t, f, context.DeadlineExceeded)
			}
		}
		s := p.Pool.Stats()
		assert.Equal(t, []uint64{0, 0}, []uint64{s.Accepted, s.Rejected})
	})
}
