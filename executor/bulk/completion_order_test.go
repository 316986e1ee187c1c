package bulk_test

import (
	"context"
	"sync"
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
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestECS13_AllResultsComeInOrderOfCompletionAndTheLoopEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 3))
		for i, d := range []time.Duration{3, 1, 2} {
			ecsSubmit(t, s, pooltest.Value(i, d*time.Second))
		}
		start := time.Now()
		var order []int
		for f := range s.All(t.Context()) {
			order = append(order, ecsValue(t, f))
			assert.Equal(t, time.Duration(len(order))*time.Second, time.Since(start))
		}
		assert.Equal(t, []int{1, 2, 0}, order)
	})
}

func TestECS13_TheLoopMaySubmitMore(t *testing.T) {
	pooltest.EachTarget(t, func(t *testing.T, p pooltest.Target) {
		s := bulk.NewCompletionService[int](p.Submitter)
		ecsSubmit(t, s, pooltest.Value(5, 0))
		var seen []int
		for f := range s.All(t.Context()) {
			v := ecsValue(t, f)
			seen = append(seen, v)
			if v > 0 {
				ecsSubmit(t, s, pooltest.Value(v-1, 0))
			}
		}
		assert.Equal(t, []int{5, 4, 3, 2, 1, 0}, seen)
	})
}

func TestECS13_TheLoopEndsWithItsContextAndMayBeTakenUpAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		for i := range 4 {
			ecsSubmit(t, s, pooltest.Value(i, time.Second))
		}
		var first, second []int
		start := time.Now()
		for f := range s.All(pooltest.Within(t, 2500*time.Millisecond)) {
			first = append(first, ecsValue(t, f))
		}
		assert.Equal(t, 2500*time.Millisecond, time.Since(start))
		for f := range s.All(nil) {
			second = append(second, ecsValue(t, f))
			if len(second) == 1 {
				break
			}
		}
		assert.Equal(t, []int{0, 1}, first)
		assert.Equal(t, []int{2}, second)
		assert.Equal(t, 1, s.Outstanding())
		assert.Equal(t, 3, ecsValue(t, ecsTake(t, s)))
	})
}

func TestECS14_TheFirstGoodResultMayCancelTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 4)
		s := bulk.NewCompletionService[int](p)
		var seen error
		fs := []*future.Future[int]{
			ecsSubmit(t, s, pooltest.Failure(pooltest.ErrTask, 0)), ecsSubmit(t, s, pooltest.Heeding(&seen)),
			ecsSubmit(t, s, pooltest.Failure(pooltest.ErrTask, time.Second)),
			ecsSubmit(t, s, pooltest.Value(3, 2*time.Second)),
		}
		start := time.Now()
		result := 0
		for f := range s.All(t.Context()) {
			if r, _ := f.Poll(); r.Err == nil {
				result = r.Value
				break
			}
		}
		assert.Equal(t, 3, result)
		assert.Equal(t, 2*time.Second, time.Since(start))
		for _, f := range fs {
			f.CancelCause(pooltest.ErrCause)
		}
		synctest.Wait()
		assert.ErrorIs(t, seen, pooltest.ErrCause)
		assert.Zero(t, p.Stats().Busy)
	})
}

func TestECS15_NoneOfManyIsLostOrTakenTwice(t *testing.T) {
	const n = 20000
	p := executor.NewPool(100)
	defer func() { assert.NoError(t, p.Close()) }()
	s := bulk.NewCompletionService[int](p)
	var submitters sync.WaitGroup
	for k := range 4 {
		submitters.Go(func() {
			for i := range n / 4 {
				if _, err := s.Submit(pooltest.Value(k*n/4+i, 0)); !assert.NoError(t, err) {
					return
				}
			}
		})
	}
	taken := make([]bool, n)
	for total := 0; total < n; {
		f, err := s.Take(t.Context())
		if err == bulk.ErrNoneLeft {
			continue // it was quicker than the submitters
		}
		require.NoError(t, err)
		v := ecsValue(t, f)
		require.False(t, taken[v], "%d twice", v)
		taken[v] = true
		total++
	}
	submitters.Wait()
	assert.Zero(t, s.Outstanding())
}

func TestECS15_ManyTakersShareWhatThereIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const n = 1000
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 4))
		for i := range n {
			ecsSubmit(t, s, pooltest.Value(i, time.Duration(i%7)*time.Millisecond))
		}
		var mu sync.Mutex
		taken := map[int]int{}
		var takers sync.WaitGroup
		for range 5 {
			takers.Go(func() {
				for f := range s.All(t.Context()) {
					r, _ := f.Poll()
					mu.Lock()
					taken[r.Value]++
					mu.Unlock()
				}
			})
		}
		takers.Wait()
		assert.Len(t, taken, n)
		for v, times := range taken {
			assert.Equal(t, 1, times, "%d", v)
		}
	})
}

func TestECS16_TheOrderIsThatOfCompletion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 3))
		slow := ecsSubmit(t, s, pooltest.Value(1, 3*time.Second))
		quick := ecsSubmit(t, s, pooltest.Failure(pooltest.ErrTask, time.Second))
		middle := ecsSubmit(t, s, pooltest.Value(3, 2*time.Second))
		probe.Elapse(time.Minute)
		assert.Same(t, quick, ecsTake(t, s))
		assert.Same(t, middle, ecsTake(t, s))
		assert.Same(t, slow, ecsTake(t, s))
	})
}

func TestECS16_TasksOfOneWorkerCompleteInTheOrderOfTheirRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Priority()))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Second)))
		synctest.Wait()
		s := bulk.NewCompletionService[int](p)
		for i := range 5 {
			ecsSubmit(t, s, pooltest.Value(i, 0), executor.Priority(i))
		}
		for want := 4; want >= 0; want-- {
			assert.Equal(t, want, ecsValue(t, ecsTake(t, s)))
		}
	})
}

// Java delivers it when the body has returned.
func TestECS18_ACancelledTaskThatStillRunsIsDeliveredAtOnceAndOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewPool(t, 1))
		f := ecsSubmit(t, s, func(context.Context) (int, error) {
			time.Sleep(time.Hour)
			return 1, nil
		})
		synctest.Wait()
		assert.True(t, f.CancelCause(pooltest.ErrCause))
		start := time.Now()
		assert.Same(t, f, ecsTake(t, s))
		assert.Zero(t, time.Since(start))
		pooltest.CancelledFor(t, f, pooltest.ErrCause)
		<-f.Stopped()
		probe.Elapse(time.Hour)
		ecsNothingToPoll(t, s)
		assert.Zero(t, s.Outstanding())
	})
}

// Java delivers it when a worker comes to it.
func TestECS19_ACancelledTaskThatWaitsIsDeliveredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		s := bulk.NewCompletionService[int](p)
		ecsSubmit(t, s, pooltest.Value(1, 0))
		f := ecsSubmit(t, s, pooltest.Value(2, 0))
		assert.True(t, f.Cancel())
		assert.Same(t, f, ecsTake(t, s))
		ecsNothingToPoll(t, s)
		assert.Equal(t, 1, s.Outstanding())
	})
}

func TestECS20_WhatAShutdownDropsIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		s := bulk.NewCompletionService[int](p)
		runs := ecsSubmit(t, s, pooltest.Value(1, time.Hour))
		dropped := []*future.Future[int]{
			ecsSubmit(t, s, pooltest.Value(2, 0)), ecsSubmit(t, s, pooltest.Value(3, 0)),
		}
		synctest.Wait()
		time.AfterFunc(time.Minute, func() { p.ShutdownNow() })
		start := time.Now()
		var taken []*future.Future[int]
		for f := range s.All(t.Context()) {
			taken = append(taken, f)
		}
		assert.Equal(t, time.Minute, time.Since(start))
		assert.ElementsMatch(t, append(dropped, runs), taken)
		for _, f := range dropped {
			pooltest.CancelledFor(t, f, executor.ErrShutdown)
		}
		r, _ := runs.Poll()
		assert.Equal(t, executor.ErrShutdown, r.Err)
	})
}

func TestECS20_WhatAPolicyDiscardsIsDelivered(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1, executor.Queue(queue.Bounded(1)), executor.OnRejection(rejection.DiscardOldest))
		require.NoError(t, p.Execute(pooltest.NewGate(t).Hold))
		synctest.Wait()
		s := bulk.NewCompletionService[int](p)
		first := ecsSubmit(t, s, pooltest.Value(1, 0))
		ecsSubmit(t, s, pooltest.Value(2, 0))
		assert.Same(t, first, ecsTake(t, s))
		pooltest.CancelledFor(t, first, executor.ErrSaturated)
		require.NoError(t, p.SetRejectionPolicy(rejection.Discard))
		third := ecsSubmit(t, s, pooltest.Value(3, 0))
		assert.Same(t, third, ecsTake(t, s))
		assert.Equal(t, 1, s.Outstanding())
	})
}

func TestServicesOnOnePoolKeepTheirTasksApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 2)
		odd, even := bulk.NewCompletionService[int](p), bulk.NewCompletionService[int](p)
		for i := range 10 {
			ecsSubmit(t, []*ecsService{even, odd}[i%2], pooltest.Value(i, 0))
		}
		for i, s := range []*ecsService{even, odd} {
			sum := 0
			for f := range s.All(t.Context()) {
				sum += ecsValue(t, f)
			}
			assert.Equal(t, 20+5*i, sum)
		}
	})
}

func TestATaskMayTakeWhatItHasSubmittedToItsOwnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		start := time.Now()
		f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
			s := bulk.NewCompletionService[int](p)
			for i := range 4 {
				if _, err := s.Submit(pooltest.Value(i, time.Second)); err != nil {
					return 0, err
				}
			}
			sum := 0
			for f := range s.All(ctx) {
				r, _ := f.Poll()
				sum += r.Value
			}
			return sum, nil
		})
		require.NoError(t, err)
		v, err := f.Get(pooltest.Within(t, time.Hour))
		assert.NoError(t, err)
		assert.Equal(t, 6, v)
		assert.Equal(
			t, 4*time.Second, time.Since(start), "one at a time, in place of the task that waits",
		)
	})
}

// The task that waits holds the only worker, and must lend its place to what comes during its wait.
func TestATaskMayTakeWhatIsBeingSubmittedToItsOwnPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var slow bool
		p := pooltest.NewPool(t, 1, executor.Decorate(func(task executor.Task) executor.Task {
			if slow {
				time.Sleep(time.Second)
			}
			return task
		}))
		s := bulk.NewCompletionService[int](p)
		taken, err := p.Submit(func(ctx context.Context) error {
			time.Sleep(time.Millisecond)
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, err := s.Take(ctx)
			return err
		})
		require.NoError(t, err)
		slow = true
		ecsSubmit(t, s, pooltest.Value(1, 0))
		_, err = taken.Get(t.Context())
		assert.NoError(t, err)
	})
}

func TestATaskOfASerialExecutorCannotTakeWhatIsBehindIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		serial := serial.New(pooltest.NewPool(t, 2))
		s := bulk.NewCompletionService[int](serial)
		f, err := serial.Submit(func(ctx context.Context) error {
			if _, err := s.Submit(pooltest.Value(1, 0)); err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			_, err := s.Take(ctx)
			return err
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}

func TestATaskThatItsSubmitterRunsCannotTakeItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](pooltest.NewDirectPool(t))
		f := ecsSubmit(t, s, func(ctx context.Context) (int, error) {
			_, err := s.Take(ctx)
			return 0, err
		})
		_, err := f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
	})
}

// What another submits meanwhile is no reason to give up.
func TestATaskThatItsSubmitterRunsMayTakeWhatAnotherSubmits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bulk.NewCompletionService[int](
			pooltest.NewPool(t, 1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns)),
		)
		ecsSubmit(t, s, pooltest.Value(1, time.Minute))
		f := ecsSubmit(t, s, func(ctx context.Context) (int, error) {
			taken, err := s.Take(ctx)
			assert.NoError(t, err)
			return taken.Get(ctx)
		})
		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 1, v)
	})
}
