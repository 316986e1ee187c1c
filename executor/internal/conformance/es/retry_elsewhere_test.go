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
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/retry"
	"github.com/punctual-go/punctual/future"
)

// wrapped is a Submitter of another package that passes options on.
type wrapped struct{ *executor.Pool }

// elsewhere runs a test on Submitters that know only tasks without a result.
func elsewhere(t *testing.T, test func(t *testing.T, p executor.Submitter)) {
	t.Run("loop", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			l := eventloop.New()
			defer l.Close()
			test(t, l)
		})
	})
	t.Run("wrapped", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1)
			defer p.Close()
			test(t, wrapped{p})
		})
	})
}

var thrice = executor.Retry(
	3, retry.Backoff{Base: time.Second, Factor: 1, Spread: retry.NoSpread},
)

func TestAFunctionWithAResultIsTriedAgainOnAnySubmitter(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		f, err := executor.Submit(p, func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return 0, errors.New("not yet")
			}
			return calls, nil
		}, thrice)
		require.NoError(t, err)
		from := time.Now()
		v, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 3, v)
		assert.Equal(t, 2*time.Second, time.Since(from))
	})
}

func TestTheLastAttemptElsewhereHasTheError(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		last := errors.New("the last")
		f, err := executor.Submit(p, func(context.Context) (int, error) {
			if calls++; calls < 3 {
				return 0, errors.New("not yet")
			}
			return 0, last
		}, thrice)
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		assert.ErrorIs(t, err, last)
		assert.Equal(t, 3, calls)
	})
}

func TestAPanicElsewhereIsNotTriedAgain(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		f, err := executor.Submit(p, func(context.Context) (int, error) {
			if calls++; calls == 2 {
				panic("broken")
			}
			return 0, errors.New("not yet")
		}, thrice)
		require.NoError(t, err)
		_, err = f.Get(context.Background())
		var panicked *future.PanicError
		assert.ErrorAs(t, err, &panicked)
		assert.Equal(t, 2, calls)
	})
}

func TestACancellationBetweenTwoAttemptsElsewhereIsTheEnd(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		f, err := executor.Submit(p, func(context.Context) (int, error) {
			calls++
			return 0, errors.New("not yet")
		}, thrice)
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		assert.Equal(t, future.Pending, f.State())
		assert.True(t, f.Cancel())
		time.Sleep(time.Minute)
		assert.Equal(t, 2, calls)
	})
}

func TestACancellationDuringAnAttemptElsewhereEndsItsContext(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		f, err := executor.Submit(p, func(ctx context.Context) (int, error) {
			if calls++; calls == 1 {
				return 0, errors.New("not yet")
			}
			<-ctx.Done()
			return 0, ctx.Err()
		}, thrice)
		require.NoError(t, err)
		time.Sleep(1500 * time.Millisecond)
		assert.True(t, f.Cancel())
		time.Sleep(time.Minute)
		assert.Equal(t, 2, calls)
		assert.Equal(t, future.Cancelled, f.State())
	})
}

func TestAnAttemptElsewhereThatExceedsItsTimeoutIsTriedAgain(t *testing.T) {
	elsewhere(t, func(t *testing.T, p executor.Submitter) {
		calls := 0
		f, err := executor.Submit(p, func(context.Context) (int, error) {
			if calls++; calls == 1 {
				time.Sleep(time.Minute)
			}
			return calls, nil
		}, thrice, executor.Timeout(time.Second))
		require.NoError(t, err)
		v, err := f.Get(context.Background())
		assert.NoError(t, err)
		assert.Equal(t, 2, v)
	})
}
