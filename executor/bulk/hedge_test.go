package bulk_test

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
	"github.com/punctual-go/punctual/executor/bulk"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
)

// hedged returns a function that marks its start, takes its time, and then ends like that.
func hedged(
	trace *pooltest.Trace, name string, takes time.Duration, err error,
) future.Func[string] {
	return func(ctx context.Context) (string, error) {
		trace.Mark(name)
		select {
		case <-time.After(takes):
			return name, err
		case <-ctx.Done():
			trace.Mark(name + " cancelled")
			return "", context.Cause(ctx)
		}
	}
}

func TestInvokeAnyHedgedStartsNoOtherIfTheFirstIsQuick(t *testing.T) {
	pooltest.Each(t, func(t *testing.T, newPool pooltest.Maker) {
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), newPool(t, 3), time.Second,
			hedged(trace, "a", 999*time.Millisecond, nil), hedged(trace, "b", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "a", won)
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"a 0s"}, trace.Seen())
	})
}

func TestInvokeAnyHedgedStartsTheNextAfterEachDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), pooltest.NewPool(t, 4), time.Second,
			hedged(trace, "a", time.Hour, nil), hedged(trace, "b", time.Hour, nil),
			hedged(trace, "c", 500*time.Millisecond, nil), hedged(trace, "d", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "c", won)
		synctest.Wait()
		assert.ElementsMatch(t, []string{
			"a 0s", "b 1s", "c 2s", "a cancelled 2.5s", "b cancelled 2.5s",
		}, trace.Seen())
	})
}

func TestInvokeAnyHedgedStartsTheNextAtOnceIfOneFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := pooltest.NewTrace()
		won, err := bulk.InvokeAnyHedged(t.Context(), pooltest.NewPool(t, 4), time.Second,
			hedged(trace, "a", 1200*time.Millisecond, pooltest.ErrTask), hedged(trace, "b", time.Hour, nil),
			hedged(trace, "c", time.Hour, nil), hedged(trace, "d", 0, nil))
		require.NoError(t, err)
		assert.Equal(t, "d", won)
		assert.Equal(t, []string{"a 0s", "b 1s", "c 1.2s", "d 2.2s"}, trace.Seen()[:4])
	})
}

func TestInvokeAnyHedgedReturnsAllErrorsIfAllFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace, other := pooltest.NewTrace(), errors.New("other")
		_, err := bulk.InvokeAnyHedged(t.Context(), pooltest.NewPool(t, 2), time.Hour,
			hedged(trace, "a", time.Second, pooltest.ErrTask), hedged(trace, "b", time.Second, other))
		assert.EqualError(t, err, "task failed\nother")
		assert.Equal(t, []string{"a 0s", "b 1s"}, trace.Seen())
	})
}

func TestInvokeAnyHedgedEndsWithItsContextBetweenTwoStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trace := pooltest.NewTrace()
		_, err := bulk.InvokeAnyHedged(
			pooltest.Within(t, time.Second), pooltest.NewPool(t, 2), time.Minute,
			hedged(trace, "a", time.Hour, nil), hedged(trace, "b", 0, nil),
		)
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		synctest.Wait()
		assert.Equal(t, []string{"a 0s", "a cancelled 1s"}, trace.Seen())
	})
}

func TestInvokeAnyHedgedWithoutADelayStartsAllAtOnce(t *testing.T) {
	for _, delay := range []time.Duration{0, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			var calls atomic.Int32
			wait := pooltest.Counted(
				&calls, func(ctx context.Context) (int, error) { return 0, pooltest.Pause(time.Second)(ctx) },
			)
			_, err := bulk.InvokeAnyHedged(t.Context(), pooltest.NewPool(t, 3), delay, wait, wait, wait)
			require.NoError(t, err)
			assert.EqualValues(t, 3, calls.Load())
		})
	}
}

func TestInvokeAnyHedgedOfATaskRunsInItsPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, trace := pooltest.NewPool(t, 1), pooltest.NewTrace()
		f := pooltest.SubmitFunc(t, p, func(ctx context.Context) (string, error) {
			return bulk.InvokeAnyHedged(ctx, p, time.Second,
				hedged(trace, "a", 3*time.Second, nil), hedged(trace, "b", time.Second, nil))
		})
		won, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, "a", won, "b waits for the one worker")
		assert.Equal(t, 3*time.Second, time.Since(trace.Start))
	})
}

func TestInvokeAnyHedgedChecksItsArguments(t *testing.T) {
	p := pooltest.NewPool(t, 1)
	_, err := bulk.InvokeAnyHedged[int](t.Context(), p, time.Second)
	assert.ErrorIs(t, err, executor.ErrInvalid)
	_, err = bulk.InvokeAnyHedged(t.Context(), p, time.Second, pooltest.Seven, nil)
	assert.ErrorIs(t, err, executor.ErrNilTask)
}

func TestCompletionOfSeveralPoolsHasOneOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b, trace := pooltest.NewPool(t, 1), pooltest.NewPool(t, 1), pooltest.NewTrace()
		s := bulk.NewCompletionService[string](a)
		_, err := s.Submit(hedged(trace, "3s", 3*time.Second, nil))
		require.NoError(t, err)
		for _, p := range []executor.Submitter{b, foreignPool{b}, serial.New(a)} {
			_, err = s.SubmitTo(p, hedged(trace, "1s", time.Second, nil))
			require.NoError(t, err)
		}
		var took []string
		for f := range s.All(t.Context()) {
			v, err := f.Get(t.Context())
			require.NoError(t, err)
			took = append(took, v+" "+time.Since(trace.Start).String())
		}
		assert.Equal(t, []string{"1s 1s", "1s 2s", "3s 3s", "1s 4s"}, took)
	})
}

func TestCompletionOfSeveralPoolsRunsInThePlaceOfATaskOfEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pooltest.NewPool(t, 1), pooltest.NewPool(t, 1)
		f := pooltest.SubmitFunc(t, b, func(ctx context.Context) (int, error) {
			s := bulk.NewCompletionService[int](a)
			_, err := s.SubmitTo(b, pooltest.Seven)
			assert.NoError(t, err)
			g, err := s.Take(ctx)
			if err != nil {
				return 0, err
			}
			return g.Get(ctx)
		})
		v, err := f.Get(t.Context())
		require.NoError(t, err)
		assert.Equal(t, 7, v)
	})
}

func TestCompletionOfSeveralPoolsKnowsThatATaskWouldWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pooltest.NewPool(t, 1), pooltest.NewPool(t, 1)
		s := bulk.NewCompletionService[int](a)
		f, err := s.SubmitTo(b, func(ctx context.Context) (int, error) {
			_, err := s.Take(ctx)
			return 0, err
		})
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		assert.ErrorIs(t, err, future.ErrSelfWait)
		_, err = s.SubmitTo(b, nil)
		assert.ErrorIs(t, err, executor.ErrNilTask)
		assert.Panics(t, func() { _, _ = s.SubmitTo(nil, pooltest.Seven) })
	})
}
