package future_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func double(n int) (int, error) { return 2 * n, nil }

// after returns a future that settles after d, with err unless that is nil.
func after(d time.Duration, v int, err error) *future.Future[int] {
	p := future.NewPromise[int]()
	time.AfterFunc(d, func() {
		if err != nil {
			p.Fail(err)
		} else {
			p.Complete(v)
		}
	})
	return p.Future()
}

func cancelled(cause error) *future.Future[int] {
	f := future.NewPromise[int]().Future()
	f.CancelCause(cause)
	return f
}

func TestFUT01_PromiseCompletesOnce(t *testing.T) {
	p := future.NewPromise[int]()
	assert.True(t, p.Complete(1))
	assert.False(t, p.Complete(2))
	assert.False(t, p.Fail(errBoom))
	requireOutcome(t, p.Future(), 1, nil)
}

func TestFUT01_ZeroPromiseIsReadyForUse(t *testing.T) {
	var p future.Promise[int]
	assert.Equal(t, future.Pending, p.Future().State())
	assert.True(t, p.Complete(7))
	requireOutcome(t, p.Future(), 7, nil)
}

func TestZeroFutureIsPendingUntilCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f future.Future[int]
		_, err := f.GetTimeout(100 * time.Hour)
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.True(t, f.Cancel())
		requireOutcome(t, &f, 0, future.ErrCancelled)
	})
}

// CompletableFuture tells true again for a future that is cancelled already.
func TestFUT02_CancelOfASettledFutureIsFalse(t *testing.T) {
	assert.False(t, future.Of(7).Cancel())
	assert.False(t, future.Failed[int](errBoom).Cancel())
	f := cancelled(nil)
	assert.False(t, f.Cancel())
	assert.False(t, f.CancelCause(errBoom))
}

func TestFUT03_CancelledFutureTellsSoInEveryWay(t *testing.T) {
	f := cancelled(nil)
	assert.Equal(t, future.Cancelled, f.State())
	assert.True(t, probe.IsClosed(f.Done()))
	assert.True(t, probe.IsClosed(f.Stopped()))
	_, err := f.Get(context.Background())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, context.Canceled)
	assert.NotErrorIs(t, err, context.DeadlineExceeded)
	assert.NotErrorIs(t, err, future.ErrTimeout)
}

func TestFUT03_CancelledForAReasonMatchesBoth(t *testing.T) {
	_, err := cancelled(errBoom).Get(context.Background())
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, context.Canceled)
	assert.ErrorIs(t, err, errBoom)
	assert.EqualError(t, err, "future: cancelled: boom")
}

func TestFUT03_CancelledErrorWithoutAReasonIsErrCancelled(t *testing.T) {
	assert.Equal(t, future.ErrCancelled, future.CancelledError(nil))
	assert.Equal(t, future.ErrCancelled, future.CancelledError(future.ErrCancelled))
}

func TestFUT04_CancelledTaskNeverRuns(t *testing.T) {
	task := future.NewTask(func(context.Context) (int, error) { panic("must not run") })
	require.True(t, task.Future().CancelCause(errBoom))
	task.Run(t.Context())
	_, err := task.Future().Get(t.Context())
	assert.ErrorIs(t, err, errBoom)
	assert.Equal(t, future.Cancelled, task.Future().State())
}

// CompletableFuture.cancel interrupts nobody.
func TestFUT05_CancelReachesTheRunningBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var cause error
		task := future.NewTask(func(ctx context.Context) (int, error) {
			<-ctx.Done()
			cause = context.Cause(ctx)
			return 7, nil
		})
		go task.Run(t.Context())
		synctest.Wait()
		task.Future().CancelCause(errBoom)
		<-task.Future().Stopped()
		assert.Equal(t, errBoom, cause)
	})
}

// cause is an error of a type of its own.
type cause struct{ code int }

func (c *cause) Error() string { return "cause " + strconv.Itoa(c.code) }

// Java wraps it in an ExecutionException or a CompletionException.
func TestFUT06_FailureIsReachedByIsAndAs(t *testing.T) {
	wrapped := fmt.Errorf("outer: %w", &cause{42})
	for _, f := range []*future.Future[int]{
		future.Failed[int](wrapped),
		future.Then(future.Failed[int](wrapped), double),
	} {
		_, err := f.Get(context.Background())
		assert.True(t, err == wrapped)
		var c *cause
		require.ErrorAs(t, err, &c)
		assert.Equal(t, 42, c.code)
	}
}

func TestFUT06_FailureWithNilSaysSo(t *testing.T) {
	p := future.NewPromise[int]()
	require.True(t, p.Fail(nil))
	_, err := p.Future().Get(context.Background())
	assert.EqualError(t, err, "future: promise failed with a nil error")
	assert.Equal(t, future.StateFailed, p.Future().State())

	_, err = future.Failed[int](nil).Get(context.Background())
	assert.EqualError(t, err, "future: promise failed with a nil error")
}

func TestFUT07_ExpiredWaitLeavesTheFuture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := after(time.Hour, 7, nil)
		_, err := f.GetTimeout(time.Minute)
		assert.ErrorIs(t, err, future.ErrTimeout)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err = f.Get(ctx)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, 2*time.Minute, time.Since(start))

		v, err := f.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, 7, v)
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

// In Java dependents fail with a wrapper around the original.
func TestFUT08_DependentsOfAFailureHaveTheSameErrorAtAnyDepth(t *testing.T) {
	f := future.Failed[int](errBoom)
	for range 3 {
		f = future.Then(f, func(int) (int, error) { panic("must not run") })
		assert.Equal(t, future.StateFailed, f.State())
		requireOutcome(t, f, 0, errBoom)
	}
}

// In Java dependents of a cancelled stage are failed, not cancelled.
func TestFUT08_DependentsOfACancelledFutureAreCancelledForTheSameReason(t *testing.T) {
	for _, reason := range []error{nil, errBoom} {
		f := cancelled(reason)
		_, want := f.Get(context.Background())
		for range 3 {
			f = future.Then(f, func(int) (int, error) { panic("must not run") })
			assert.Equal(t, future.Cancelled, f.State())
			requireOutcome(t, f, 0, want)
			assert.True(t, probe.IsClosed(f.Stopped()))
		}
	}
}

func TestFUT09_CancellingADependentLeavesItsSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		dependent := future.Then(p.Future(), func(int) (int, error) { panic("must not run") })
		assert.True(t, dependent.Cancel())
		assert.Equal(t, future.Pending, p.Future().State())
		assert.True(t, p.Complete(7))
		synctest.Wait()
		requireOutcome(t, dependent, 0, future.ErrCancelled)
		requireOutcome(t, p.Future(), 7, nil)
	})
}

// There is no whenComplete; this is what Then does in its place.
func TestFUT10_ErrorOfTheFunctionReplacesASuccessButNotAFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throw := func(int) (int, error) { return 5, errOther }
		f := future.Then(future.Of(7), throw)
		synctest.Wait()
		requireOutcome(t, f, 5, errOther)
		requireOutcome(t, future.Then(future.Failed[int](errBoom), throw), 0, errBoom)
	})
}

func TestThenMapsTheValueToAnotherType(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		text := future.Then(future.Then(p.Future(), double), func(n int) (string, error) {
			return strconv.Itoa(n), nil
		})
		synctest.Wait()
		assert.Equal(t, future.Pending, text.State())
		p.Complete(21)
		v, err := text.Get(t.Context())
		assert.NoError(t, err)
		assert.Equal(t, "42", v)
	})
}

func TestThenContainsPanicAndGoexit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := future.Then(future.Of(7), func(int) (int, error) { return crash() }).Get(t.Context())
		assert.ErrorIs(t, err, errBoom)
		_, err = future.Then(future.Of(7), func(int) (int, error) { return exit() }).Get(t.Context())
		assert.Equal(t, future.ErrGoexit, err)
	})
}

func TestThenOfNilPanics(t *testing.T) {
	assert.Panics(t, func() { future.Then(nil, double) })
	assert.Panics(t, func() { future.Then[int, int](future.Of(7), nil) })
}

// Java runs dependents in the completing thread, the last registered first.
func TestFUT12_DependentsHoldUpNeitherTheSourceNorEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := future.NewPromise[int]()
		gate := make(chan struct{})
		slow := future.Then(p.Future(), func(n int) (int, error) { <-gate; return n, nil })
		quick := future.Then(p.Future(), double)
		assert.True(t, p.Complete(7))
		synctest.Wait()
		requireOutcome(t, quick, 14, nil)
		assert.Equal(t, future.Running, slow.State())
		close(gate)
		synctest.Wait()
		requireOutcome(t, slow, 7, nil)
	})
}

func TestFUT12_DependentOfASettledFutureHoldsUpNobody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		f := future.Then(future.Of(7), func(n int) (int, error) { <-gate; return n, nil })
		synctest.Wait()
		assert.Equal(t, future.Running, f.State())
		close(gate)
	})
}

// In Java allOf waits for all also when one has failed.
func TestFUT13_AllReturnsTheFirstFailureWithoutWaitingForTheRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		pending := future.NewPromise[int]().Future()
		vs, err := future.All(t.Context(), pending, after(2*time.Second, 0, errOther), after(time.Second, 0, errBoom))
		assert.Nil(t, vs)
		assert.Equal(t, errBoom, err)
		assert.Equal(t, time.Second, time.Since(start))
		assert.Equal(t, future.Pending, pending.State(), "the others are not cancelled")
	})
}

func TestFUT13_AllReturnsTheValuesInOrderOfTheArguments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		vs, err := future.All(t.Context(), after(3*time.Second, 1, nil), future.Of(2), after(time.Second, 3, nil))
		assert.NoError(t, err)
		assert.Equal(t, []int{1, 2, 3}, vs)
		assert.Equal(t, 3*time.Second, time.Since(start))
	})
}

func TestFUT13_AllOfNothingIsAnEmptySliceAtOnce(t *testing.T) {
	vs, err := future.All[int](ended(nil))
	assert.NoError(t, err)
	assert.NotNil(t, vs)
	assert.Empty(t, vs)
}

func TestFUT13_AllEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		vs, err := future.All(ctx, future.Of(1), future.NewPromise[int]().Future())
		assert.Nil(t, vs)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestFUT13_AllOfCancelledFuturesIsTheirCancellation(t *testing.T) {
	_, err := future.All(context.Background(), future.Of(1), cancelled(errBoom))
	assert.ErrorIs(t, err, future.ErrCancelled)
	assert.ErrorIs(t, err, errBoom)
}

func TestFUT13_AllTakesTheSameFutureTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := after(time.Second, 7, nil)
		vs, err := future.All(t.Context(), f, f)
		assert.NoError(t, err)
		assert.Equal(t, []int{7, 7}, vs)
	})
}

func TestSettledFuturesBeatAnEndedContext(t *testing.T) {
	vs, err := future.All(ended(nil), future.Of(1), future.Of(2))
	assert.NoError(t, err)
	assert.Equal(t, []int{1, 2}, vs)
	v, err := future.Any(ended(nil), future.Failed[int](errBoom), future.Of(2))
	assert.NoError(t, err)
	assert.Equal(t, 2, v)
	seen := 0
	for range future.Completed(ended(nil), future.Of(1), future.NewPromise[int]().Future(), future.Of(2)) {
		seen++
	}
	assert.Equal(t, 2, seen)
}

// In Java anyOf is the first outcome of any kind, and never comes if there is nothing to wait for.
func TestFUT14_AnyReturnsTheFirstSuccess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		late := after(time.Hour, 3, nil)
		v, err := future.Any(t.Context(), after(time.Second, 0, errBoom), late, after(time.Minute, 2, nil), cancelled(nil))
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, future.Pending, late.State(), "the others go on")
	})
}

func TestFUT14_AnyOfFailuresJoinsThemInOrderOfFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		_, err := future.Any(t.Context(), after(2*time.Second, 0, errOther), after(time.Second, 0, errBoom))
		assert.ErrorIs(t, err, errBoom)
		assert.ErrorIs(t, err, errOther)
		assert.EqualError(t, err, "boom\nother")
		assert.Equal(t, 2*time.Second, time.Since(start))
	})
}

func TestFUT14_AnyOfNothingIsAnErrorAtOnce(t *testing.T) {
	_, err := future.Any[int](context.Background())
	assert.Equal(t, future.ErrNoFutures, err)
}

func TestFUT14_AnyEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, err := future.Any(ctx, future.Failed[int](errBoom), future.NewPromise[int]().Future())
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

// With Completed one waits for the first outcome of any kind, or for all of them.
func TestFUT13_FUT14_CompletedYieldsEachOutcomeAtItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type told struct {
			i  int
			r  future.Result[int]
			at time.Duration
		}
		start := time.Now()
		fs := []*future.Future[int]{
			after(3*time.Second, 1, nil), after(time.Second, 0, errBoom), future.Of(3), after(2*time.Second, 4, nil),
		}
		var got []told
		for i, r := range future.Completed(t.Context(), fs...) {
			got = append(got, told{i, r, time.Since(start)})
		}
		assert.Equal(t, []told{
			{2, future.Result[int]{Value: 3}, 0},
			{1, future.Result[int]{Err: errBoom}, time.Second},
			{3, future.Result[int]{Value: 4}, 2 * time.Second},
			{0, future.Result[int]{Value: 1}, 3 * time.Second},
		}, got)
	})
}

func TestCompletedEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		seen := 0
		for range future.Completed(ctx, after(time.Second, 1, nil), future.NewPromise[int]().Future()) {
			seen++
		}
		assert.Equal(t, 1, seen)
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Error(t, ctx.Err())
	})
}

func TestCompletedOfNothingEndsAtOnce(t *testing.T) {
	for range future.Completed[int](context.Background()) {
		t.Fatal("yielded something")
	}
}

func TestCompletedWithANilContextNeverEndsEarly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := 0
		for range future.Completed(nil, after(100*time.Hour, 1, nil)) {
			seen++
		}
		assert.Equal(t, 1, seen)
	})
}

func TestCompletedCountsANilFutureAsFailed(t *testing.T) {
	results := map[int]future.Result[int]{}
	for i, r := range future.Completed(context.Background(), nil, future.Of(7)) {
		results[i] = r
	}
	assert.Len(t, results, 2)
	assert.EqualError(t, results[0].Err, "future: future 0 is nil")
	assert.Equal(t, future.Result[int]{Value: 7}, results[1])
}

func TestCompletedMayBeLeftAndRangedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seq := future.Completed(t.Context(), future.Of(1), after(time.Second, 2, nil))
		for range 2 {
			for i := range seq {
				assert.Zero(t, i)
				break
			}
		}
		seen := 0
		for range seq {
			seen++
		}
		assert.Equal(t, 2, seen)
	})
}

func TestCompletedStartsNoGoroutine(t *testing.T) {
	fs := []*future.Future[int]{future.Of(1), future.NewPromise[int]().Future(), future.NewPromise[int]().Future()}
	before := runtime.NumGoroutine()
	for range future.Completed(context.Background(), fs...) {
		assert.LessOrEqual(t, runtime.NumGoroutine(), before)
		break
	}
}

// There is no orTimeout on a future: time limits belong to the wait, and a default is one line.
func TestFUT15_TimedOutWaitIsTheCallersAndADefaultIsInline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := after(time.Hour, 7, nil)
		v, err := f.GetTimeout(time.Minute)
		if errors.Is(err, future.ErrTimeout) {
			v = 42
		}
		assert.Equal(t, 42, v)
		assert.Equal(t, future.Pending, f.State())
	})
}

func TestFUT16_PollTellsWithoutWaitingWhetherThereIsAnOutcome(t *testing.T) {
	cases := []struct {
		f     *future.Future[int]
		state future.State
		want  future.Result[int]
		ok    bool
	}{
		{future.NewPromise[int]().Future(), future.Pending, future.Result[int]{}, false},
		{future.Of(7), future.Succeeded, future.Result[int]{Value: 7}, true},
		{future.Failed[int](errBoom), future.StateFailed, future.Result[int]{Err: errBoom}, true},
		{cancelled(nil), future.Cancelled, future.Result[int]{Err: future.ErrCancelled}, true},
	}
	for _, c := range cases {
		assert.Equal(t, c.state, c.f.State())
		got, ok := c.f.Poll()
		assert.Equal(t, c.ok, ok)
		assert.Equal(t, c.want, got)
	}
}

func TestFUT18_DoneServesInASelect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		first, second := after(time.Hour, 1, nil), after(time.Minute, 2, nil)
		select {
		case <-first.Done():
			t.Error("the later one won")
		case <-second.Done():
		}
		assert.Equal(t, time.Minute, time.Since(start))
		requireOutcome(t, second, 2, nil)
	})
}

func TestOfAndFailedAreSettledFromTheStart(t *testing.T) {
	requireOutcome(t, future.Of(7), 7, nil)
	requireOutcome(t, future.Failed[int](errBoom), 0, errBoom)
	assert.True(t, probe.IsClosed(future.Of(7).Stopped()))
	assert.True(t, probe.IsClosed(future.Failed[int](errBoom).Stopped()))
}

func TestFailedWithACancellationIsAFailure(t *testing.T) {
	f := future.Failed[int](future.ErrCancelled)
	assert.Equal(t, future.StateFailed, f.State())
	requireOutcome(t, f, 0, future.ErrCancelled)
}
