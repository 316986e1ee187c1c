package es_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/queue"
	"github.com/punctual-go/punctual/executor/rejection"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// esSum adds one to the sum of two of itself, each level of which calls InvokeAll in a task.
func esSum(p executor.Submitter, depth int) future.Func[int] {
	return func(ctx context.Context) (int, error) {
		if depth == 0 {
			return 1, nil
		}
		fs, err := executor.InvokeAll(ctx, p, esSum(p, depth-1), esSum(p, depth-1))
		if err != nil {
			return 0, err
		}
		values, err := future.All(ctx, fs...)
		if err != nil {
			return 0, err
		}
		return 1 + values[0] + values[1], nil
	}
}

func TestSTPE137_BulkOperationsWorkOnAScheduledPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		later := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		fs, err := executor.InvokeAll(
			t.Context(), p, pooltest.Value(1, 2*time.Second), pooltest.Failure(pooltest.ErrTask, 0),
			pooltest.Value(3, time.Second),
		)
		assert.NoError(t, err)
		assert.Equal(t, []string{"1", "failed", "3"}, esOutcomes(t, fs))
		v, err := executor.InvokeAny(
			t.Context(), p, pooltest.Failure(pooltest.ErrTask, 0), pooltest.Value(2, time.Second),
		)
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
		assert.Equal(t, future.Pending, later.State())
	})
}

// In Java a task of a bulk operation is a future inside of another, and only the inner one is
// cancelled.
func TestSTPE138_K20_WhatABulkOperationGivesUpLeavesTheQueueAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		_, err := executor.InvokeAll(
			pooltest.Within(t, time.Second), p, pooltest.Value(1, 0), pooltest.Value(2, 0),
			pooltest.Value(3, 0),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = executor.InvokeAny(
			pooltest.Within(t, time.Second), p, pooltest.Value(1, 0), pooltest.Value(2, 0),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Empty(t, p.Queued())
		s := p.Stats()
		assert.Equal(t, []uint64{6, 5, 0}, []uint64{s.Accepted, s.Cancelled, s.Completed})
		g.Open()
		synctest.Wait()
		s = p.Stats()
		assert.Equal(t, []uint64{1, 1}, []uint64{s.Completed, s.Runs})
	})
}

func TestC10_B22_ATaskMayInvokeAllOnItsOwnPoolAtAnyDepth(t *testing.T) {
	pools := map[string]func(t *testing.T) executor.Submitter{
		"one worker":  func(t *testing.T) executor.Submitter { return pooltest.NewPool(t, 1) },
		"scheduled":   func(t *testing.T) executor.Submitter { return pooltest.NewScheduledPool(t, 1) },
		"core size 0": func(t *testing.T) executor.Submitter { return pooltest.NewPool(t, 0) },
		"caller runs": func(t *testing.T) executor.Submitter { return pooltest.NewDirectPool(t) },
		"bounded": func(t *testing.T) executor.Submitter {
			return pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(100)))
		},
		"block": func(t *testing.T) executor.Submitter {
			return pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.Block))
		},
		"two, handing": func(t *testing.T) executor.Submitter {
			return pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns))
		},
	}
	for name, pool := range pools {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pool(t)
				start := time.Now()
				f, err := executor.Submit(p, esSum(p, 5))
				require.NoError(t, err)
				v, err := f.Get(pooltest.Within(t, time.Hour))
				assert.NoError(t, err)
				assert.Equal(t, 63, v)
				assert.Zero(t, time.Since(start))
			})
		})
	}
}

func TestC10_ATaskMayInvokeAnyOnItsOwnPool(t *testing.T) {
	for name, opts := range map[string][]executor.Option{
		"unbounded":   nil,
		"bounded":     {executor.Queue(queue.Bounded(10))},
		"caller runs": {executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns)},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 1, opts...)
				f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
					return executor.InvokeAny(
						ctx, p, pooltest.Failure(pooltest.ErrTask, time.Second), pooltest.Value(2, time.Second),
						pooltest.Failure(pooltest.ErrTask, 0),
					)
				})
				require.NoError(t, err)
				v, err := f.Get(pooltest.Within(t, time.Hour))
				assert.NoError(t, err)
				assert.Equal(t, 2, v)
			})
		})
	}
}

// It would wait for what is behind itself.
func TestC10_ATaskOfASerialExecutorCannotInvokeOnThat(t *testing.T) {
	operations := map[string]func(ctx context.Context, s *serial.Serial) error{
		"InvokeAll": func(ctx context.Context, s *serial.Serial) error {
			_, err := executor.InvokeAll(ctx, s, pooltest.Value(1, 0), pooltest.Value(2, 0))
			return err
		},
		"InvokeAny": func(ctx context.Context, s *serial.Serial) error {
			_, err := executor.InvokeAny(ctx, s, pooltest.Value(1, 0), pooltest.Value(2, 0))
			return err
		},
	}
	for name, operate := range operations {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewPool(t, 2)
				s := serial.New(p)
				f, err := s.Submit(func(ctx context.Context) error {
					ctx, cancel := context.WithTimeout(ctx, time.Hour)
					defer cancel()
					return operate(ctx, s)
				})
				require.NoError(t, err)
				start := time.Now()
				_, err = f.Get(t.Context())
				assert.ErrorIs(t, err, future.ErrSelfWait)
				assert.Zero(t, time.Since(start))
				synctest.Wait()
				assert.Zero(t, p.Stats().Queued)
			})
		})
	}
}

func TestBlockLetsABulkOperationWaitForRoomNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		start := time.Now()
		fs, err := executor.InvokeAll(
			pooltest.Within(t, time.Minute), p, pooltest.Value(1, 0), pooltest.Value(2, 0),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, []string{"cancelled", "cancelled"}, esOutcomes(t, fs))
		_, err = executor.InvokeAny(pooltest.Within(t, time.Minute), p, pooltest.Value(1, 0))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, 2*time.Minute, time.Since(start))
	})
}

func TestBlockLetsABulkOperationGoThroughAPoolSmallerThanItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.Block))
		fns := make([]future.Func[int], 10)
		for i := range fns {
			fns[i] = pooltest.Value(i, time.Second)
		}
		start := time.Now()
		fs, err := executor.InvokeAll(t.Context(), p, fns...)
		assert.NoError(t, err)
		assert.Equal(t, 5*time.Second, time.Since(start))
		values, err := future.All(t.Context(), fs...)
		assert.NoError(t, err)
		assert.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, values)
	})
}

func TestAPanicOfAPolicyLeavesNoTaskOfABulkOperationBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(
			t, 1, executor.Queue(queue.Bounded(1)),
			executor.OnRejection(func(*rejection.Task) error { panic(pooltest.ErrTask) }),
		)
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		synctest.Wait()
		assert.PanicsWithValue(
			t, pooltest.ErrTask,
			func() { _, _ = executor.InvokeAll(t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, 0)) },
		)
		assert.Zero(t, p.Stats().Queued)
		assert.PanicsWithValue(
			t, pooltest.ErrTask,
			func() { _, _ = executor.InvokeAny(t.Context(), p, pooltest.Value(1, 0), pooltest.Value(2, 0)) },
		)
		assert.Zero(t, p.Stats().Queued)
	})
}

// esFutures submits functions to pools of different kinds by turns.
func esFutures(t *testing.T, fns ...future.Func[int]) []*future.Future[int] {
	single := executor.NewPool(1, executor.Confined())
	pooltest.Stop(t, single)
	pools := []executor.Submitter{
		pooltest.NewPool(t, 2), pooltest.NewScheduledPool(t, 2), serial.New(single),
	}
	fs := make([]*future.Future[int], len(fns))
	for i, fn := range fns {
		f, err := executor.Submit(pools[i%len(pools)], fn)
		require.NoError(t, err)
		fs[i] = f
	}
	return fs
}

func TestFutureAllWaitsForFuturesOfSeveralPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		values, err := future.All(
			t.Context(), esFutures(
				t, pooltest.Value(1, 3*time.Second), pooltest.Value(2, time.Second),
				pooltest.Value(3, 2*time.Second),
			)...)
		assert.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, values)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestFutureAllReturnsTheFirstFailureAndLetsTheOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := esFutures(
			t, pooltest.Value(1, time.Minute), pooltest.Failure(pooltest.ErrTask, time.Second),
			pooltest.Failure(pooltest.ErrCause, 2*time.Second),
		)
		start := time.Now()
		_, err := future.All(t.Context(), fs...)
		assert.Equal(t, pooltest.ErrTask, err)
		assert.Equal(t, time.Second, time.Since(start))
		v, err := fs[0].Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

func TestFutureAnyReturnsTheFirstSuccessAndLetsTheOthersRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fs := esFutures(
			t, pooltest.Value(1, time.Minute), pooltest.Failure(pooltest.ErrTask, 0),
			pooltest.Value(3, time.Second),
		)
		start := time.Now()
		v, err := future.Any(t.Context(), fs...)
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Equal(t, time.Second, time.Since(start))
		v, err = fs[0].Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}

func TestFutureAnyOfFailuresOfPoolsIsAllOfThemInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := future.Any(
			t.Context(), esFutures(
				t, pooltest.Failure(errors.New("b"), 2*time.Second),
				pooltest.Failure(errors.New("c"), 3*time.Second),
				pooltest.Failure(errors.New("a"), time.Second),
			)...)
		assert.EqualError(t, err, "a\nb\nc")
	})
}

func TestFutureCompletedYieldsInOrderOfSettlementAcrossPools(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []int
		for i, r := range future.Completed(t.Context(), esFutures(t, pooltest.Value(0, 3*time.Second), pooltest.Failure(pooltest.ErrTask, time.Second), pooltest.Value(2, 2*time.Second))...) {
			order = append(order, i)
			assert.Equal(t, i == 1, r.Err != nil)
		}
		assert.Equal(t, []int{1, 2, 0}, order)
	})
}

func TestFutureCompletedYieldsWhatAStoppedPoolDrops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		var fs []*future.Future[int]
		for range 3 {
			f, err := executor.Submit(p, pooltest.Value(1, time.Hour))
			require.NoError(t, err)
			fs = append(fs, f)
		}
		time.AfterFunc(time.Minute, func() { p.ShutdownNow() })
		var errs []error
		for _, r := range future.Completed(pooltest.Within(t, 30*time.Minute), fs...) {
			errs = append(errs, r.Err)
		}
		require.Len(t, errs, 3)
		for _, err := range errs {
			assert.ErrorIs(t, err, executor.ErrShutdown)
		}
	})
}

func TestATaskMayWaitForAllOrAnyOfItsOwnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
			var fs []*future.Future[int]
			for i := range 3 {
				f, err := executor.Submit(p, pooltest.Value(i, time.Second))
				if err != nil {
					return 0, err
				}
				fs = append(fs, f)
			}
			first, err := future.Any(ctx, fs...)
			if err != nil {
				return 0, err
			}
			values, err := future.All(ctx, fs...)
			return first*1000 + len(values), err
		})
		require.NoError(t, err)
		start := time.Now()
		v, err := f.Get(pooltest.Within(t, time.Hour))
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

// Whoever waits behind itself is told so, as by Get.
func TestATaskOfASerialExecutorCannotWaitForAnyBehindItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serial.New(pooltest.NewPool(t, 2))
		f, err := s.Submit(func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			behind, err := executor.Submit(s, pooltest.Value(1, 0))
			if err != nil {
				return err
			}
			_, err = future.Any(ctx, behind)
			return err
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}
