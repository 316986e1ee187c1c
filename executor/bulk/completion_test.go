package bulk_test

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
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
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

type ecsService = bulk.CompletionService[int]

func ecsSubmit(
	t *testing.T, s *ecsService, fn future.Func[int], opts ...executor.TaskOption,
) *future.Future[int] {
	t.Helper()
	f, err := s.Submit(fn, opts...)
	require.NoError(t, err)
	return f
}

// ecsTake takes a future that must come within an hour.
func ecsTake(t *testing.T, s *ecsService) *future.Future[int] {
	t.Helper()
	f, err := s.Take(pooltest.Within(t, time.Hour))
	require.NoError(t, err)
	assert.True(t, f.State().Settled())
	return f
}

func ecsValue(t *testing.T, f *future.Future[int]) int {
	t.Helper()
	r, settled := f.Poll()
	require.True(t, settled)
	require.NoError(t, r.Err)
	return r.Value
}

func ecsNothingToPoll(t *testing.T, s *ecsService) {
	t.Helper()
	f, ok := s.Poll()
	assert.False(t, ok)
	assert.Nil(t, f)
}

func TestECS01_ANilPoolPanics(t *testing.T) {
	assert.PanicsWithValue(t, "bulk: nil pool", func() { bulk.NewCompletionService[int](nil) })
}

func TestECS03_ANilFunctionIsRefusedAndNotOutstanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		f, err := s.Submit(nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		assert.Nil(t, f)
		_, err = s.Submit(pooltest.Value(1, 0), executor.Timeout(-1))
		assert.ErrorIs(t, err, executor.ErrInvalid)
		assert.Zero(t, s.Outstanding())
	})
}

func TestECS05_ATakenFutureIsSettledAndHoldsTheValue(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		ecsSubmit(t, s, pooltest.Value(42, time.Second))
		assert.Equal(t, 42, ecsValue(t, ecsTake(t, s)))
	})
}

func TestECS06_TheFutureTakenIsTheOneSubmitReturned(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		submitted := map[*future.Future[int]]bool{}
		for i := range 5 {
			submitted[ecsSubmit(t, s, pooltest.Value(i, 0))] = true
		}
		for range 5 {
			f := ecsTake(t, s)
			assert.True(t, submitted[f])
			delete(submitted, f)
		}
	})
}

func TestECS07_PollFindsAFutureOnceItIsSettled(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		ecsNothingToPoll(t, s)
		f := ecsSubmit(t, s, pooltest.Value(1, time.Second))
		ecsNothingToPoll(t, s)
		probe.Elapse(time.Second)
		polled, ok := s.Poll()
		assert.True(t, ok)
		assert.Same(t, f, polled)
		ecsNothingToPoll(t, s)
	})
}

func TestECS08_TakeGivesUpAtTheDeadlineAndNotBefore(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		f := ecsSubmit(t, s, pooltest.Value(1, time.Hour))
		start := time.Now()
		taken, err := s.Take(pooltest.Within(t, time.Minute))
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Nil(t, taken)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Same(t, f, ecsTake(t, s))
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestECS08_TheCauseOfTheEndIsInTheError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		ecsSubmit(t, s, pooltest.Value(1, time.Hour))
		_, err := s.Take(pooltest.Ended(t))
		assert.ErrorIs(t, err, context.Canceled)
		assert.ErrorIs(t, err, pooltest.ErrCause)
	})
}

func TestECS09_WithoutTimeTakeDoesNotWaitButTakesWhatIsThere(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		f := ecsSubmit(t, s, pooltest.Value(1, time.Second))
		start := time.Now()
		for _, d := range []time.Duration{0, -1, -1 << 63} {
			_, err := s.Take(pooltest.Within(t, d))
			assert.ErrorIs(t, err, context.DeadlineExceeded)
		}
		assert.Zero(t, time.Since(start))
		probe.Elapse(time.Second)
		taken, err := s.Take(pooltest.Within(t, 0))
		assert.NoError(t, err)
		assert.Same(t, f, taken)
	})
}

func TestECS09_ANilContextNeverEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		f := ecsSubmit(t, s, pooltest.Value(1, 1000*time.Hour))
		taken, err := s.Take(nil)
		assert.NoError(t, err)
		assert.Same(t, f, taken)
	})
}

func TestECS10_EveryWayToEndIsDeliveredOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		s := bulk.NewCompletionService[int](p)
		want := map[*future.Future[int]]error{
			ecsSubmit(t, s, pooltest.Value(1, time.Second)):                                         nil,
			ecsSubmit(t, s, pooltest.Failure(pooltest.ErrTask, time.Second)):                        pooltest.ErrTask,
			ecsSubmit(t, s, func(context.Context) (int, error) { panic(pooltest.ErrCause) }):        pooltest.ErrCause,
			ecsSubmit(t, s, func(context.Context) (int, error) { runtime.Goexit(); return 0, nil }): future.ErrGoexit,
			ecsSubmit(t, s, pooltest.Value(2, time.Hour), executor.Timeout(time.Second)):            future.ErrTimeout,
		}
		cancelled := ecsSubmit(t, s, pooltest.Value(3, time.Hour))
		cancelled.Cancel()
		want[cancelled] = future.ErrCancelled
		for len(want) > 0 {
			f := ecsTake(t, s)
			err, expected := want[f]
			require.True(t, expected, "%v twice, or unknown", f)
			r, _ := f.Poll()
			assert.ErrorIs(t, r.Err, err)
			delete(want, f)
		}
		synctest.Wait()
		ecsNothingToPoll(t, s)
		assert.Zero(t, s.Outstanding())
	})
}

func TestECS11_TheDecoratorOfThePoolIsAskedForItsTasks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var made, begun, ended int
		p := pooltest.NewPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			made++
			return func(ctx context.Context) error {
				begun++
				defer func() { ended++ }()
				return task(ctx)
			}
		}))
		s := bulk.NewCompletionService[int](p)
		ecsSubmit(t, s, pooltest.Value(42, time.Second))
		assert.Equal(t, 42, ecsValue(t, ecsTake(t, s)))
		assert.Equal(t, []int{1, 1, 1}, []int{made, begun, ended})
	})
}

// Java's service stands or falls with the queue that it is given, and a full one loses futures and
// kills workers.
func TestECS17_DeliveryIsWithoutBoundsAndHarmsNoWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 10000
		p := pooltest.NewPool(t, 2)
		s := bulk.NewCompletionService[int](p)
		for i := range n {
			ecsSubmit(t, s, pooltest.Value(i, 0))
		}
		synctest.Wait()
		assert.EqualValues(t, n, p.Stats().Completed)
		assert.Equal(t, n, s.Outstanding())
		sum := 0
		for f := range s.All(t.Context()) {
			sum += ecsValue(t, f)
		}
		assert.Equal(t, n*(n-1)/2, sum)
		assert.Equal(t, 2, p.Stats().Largest)
	})
}

func TestECS21_WhatAPoolRefusesIsNeitherOutstandingNorDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()))
		s := bulk.NewCompletionService[int](p)
		ecsSubmit(t, s, pooltest.Value(1, time.Second))
		f, err := s.Submit(pooltest.Value(2, 0))
		assert.ErrorIs(t, err, executor.ErrSaturated)
		assert.Nil(t, f)
		p.Shutdown()
		f, err = s.Submit(pooltest.Value(3, 0))
		assert.ErrorIs(t, err, executor.ErrShutdown)
		assert.Nil(t, f)
		assert.Equal(t, 1, s.Outstanding())
		assert.Equal(t, 1, ecsValue(t, ecsTake(t, s)))
		_, err = s.Take(t.Context())
		assert.Equal(t, bulk.ErrNoneLeft, err)
	})
}

func TestECS22_WhatTheCallerRunsIsThereWhenSubmitReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewDirectPool(t))
		for _, fn := range []future.Func[int]{
			pooltest.Value(1, time.Second), pooltest.Failure(pooltest.ErrTask, 0),
			func(context.Context) (int, error) { panic(pooltest.ErrTask) },
		} {
			f := ecsSubmit(t, s, fn)
			polled, ok := s.Poll()
			assert.True(t, ok)
			assert.Same(t, f, polled)
		}
	})
}

// The task ends the goroutine of its caller, so that Submit does not return.
func TestECS22_WhatTheCallerRunsIsDeliveredEvenIfItEndsTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewDirectPool(t))
		go func() {
			_, _ = s.Submit(func(context.Context) (int, error) { runtime.Goexit(); return 1, nil })
		}()
		synctest.Wait()
		f, err := s.Take(pooltest.Within(t, time.Hour))
		require.NoError(t, err)
		r, _ := f.Poll()
		assert.ErrorIs(t, r.Err, future.ErrGoexit)
	})
}

func TestECS22_APanicOfTheSubmissionLeavesNothingOutstanding(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := executor.Decorate(func(executor.Task) executor.Task { panic(pooltest.ErrTask) })
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1, fails))
		assert.PanicsWithValue(t, pooltest.ErrTask, func() { _, _ = s.Submit(pooltest.Value(1, 0)) })
		assert.Zero(t, s.Outstanding())
		_, err := s.Take(pooltest.Within(t, time.Hour))
		assert.Equal(t, bulk.ErrNoneLeft, err)
	})
}

func TestECS23_TheServiceKnowsWhatIsOutstanding(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		assert.Zero(t, s.Outstanding())
		ecsSubmit(t, s, pooltest.Value(1, 0))
		ecsSubmit(t, s, pooltest.Value(2, 0))
		synctest.Wait()
		assert.Equal(t, 2, s.Outstanding(), "settled, and not taken yet")
		ecsTake(t, s)
		assert.Equal(t, 1, s.Outstanding())
		_, ok := s.Poll()
		assert.True(t, ok)
		assert.Zero(t, s.Outstanding())
	})
}

func TestECS23_TakeOfNothingDoesNotWait(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		for _, ctx := range []context.Context{t.Context(), nil, pooltest.Ended(t)} {
			f, err := s.Take(ctx)
			assert.Equal(t, bulk.ErrNoneLeft, err)
			assert.Nil(t, f)
		}
		ecsNothingToPoll(t, s)
		for range s.All(t.Context()) {
			assert.Fail(t, "there is nothing")
		}
	})
}

func TestECS23_ATakerIsToldWhenAnotherHasTakenTheLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		ecsSubmit(t, s, pooltest.Value(1, time.Second))
		var got, none atomic.Int32
		var takers sync.WaitGroup
		for range 5 {
			takers.Go(func() {
				switch _, err := s.Take(t.Context()); err {
				case nil:
					got.Add(1)
				case bulk.ErrNoneLeft:
					none.Add(1)
				}
			})
		}
		takers.Wait()
		assert.Equal(t, []int32{1, 4}, []int32{got.Load(), none.Load()})
	})
}

func TestECS23_ATakerIsToldWhenTheLastSubmissionIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(
			t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(func(*rejection.Task) error {
				time.Sleep(time.Second)
				return executor.ErrSaturated
			}),
		)
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		synctest.Wait()
		s := bulk.NewCompletionService[int](p)
		go func() { _, _ = s.Submit(pooltest.Value(1, 0)) }()
		synctest.Wait()
		start := time.Now()
		_, err := s.Take(t.Context())
		assert.Equal(t, bulk.ErrNoneLeft, err)
		assert.Equal(t, time.Second, time.Since(start))
	})
}

// The race detector looks on.
func TestECS24_WhatATaskHasDoneHappensBeforeItsFutureIsTaken(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		const n = 100
		given, done := make([]int, n), make([]int, n)
		for i := range n {
			given[i] = i
			ecsSubmit(t, s, func(context.Context) (int, error) {
				done[i] = given[i]
				return i, nil
			})
		}
		for range n {
			i := ecsValue(t, ecsTake(t, s))
			assert.Equal(t, i, done[i])
		}
	})
}
