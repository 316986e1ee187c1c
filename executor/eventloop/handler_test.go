package eventloop_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// The handler is called on the goroutine of the timeout, which is nobody's.
func TestAHandlerOfATimeOutThatEndsItsGoroutineDoesNotKeepTheLoop(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := quiet(executor.ErrorHandler(func(context.Context, executor.Run, error) { runtime.Goexit() }))
				pooltest.Overrun(t, l, policy)
				time.Sleep(2 * time.Second)
				require.NoError(t, l.Close())
				s := l.Stats()
				assert.Equal(t, policy == executor.StopSeries, s.Completed == 1)
				assert.EqualValues(t, 1, s.Failures)
				assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
			})
		})
	}
}

func TestAHandlerOfATimeOutMayCloseTheLoop(t *testing.T) {
	for name, policy := range pooltest.ErrorPolicies {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var l *eventloop.Loop
				var got error
				l = quiet(executor.ErrorHandler(func(context.Context, executor.Run, error) { got = l.Close() }))
				pooltest.Overrun(t, l, policy)
				<-l.Terminated()
				assert.ErrorIs(t, got, future.ErrSelfWait)
			})
		})
	}
}

func TestAnOverdueRunOfALoopEndsWhoseErrorEndsTheGoroutine(t *testing.T) {
	slow := func(context.Context) error { time.Sleep(2 * time.Second); return probe.ExitError{} }
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)))
		once, err := l.Submit(slow, executor.Timeout(time.Second))
		require.NoError(t, err)
		series, err := l.AtFixedRate(10*time.Second, 10*time.Second, slow, executor.Timeout(time.Second), executor.FailurePolicy(executor.Continue))
		require.NoError(t, err)
		time.Sleep(65 * time.Second)
		assert.EqualValues(t, 6, series.Runs())
		require.NoError(t, l.Close())
		assert.True(t, series.State().Settled())
		select {
		case <-once.Stopped():
		default:
			t.Error("the body has returned, and is said to run")
		}
	})
}

func TestTheHandlerOfALoopIsToldOfTheEndOfASeriesThoughTheLogEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		l := eventloop.New(executor.Logger(slog.New(pooltest.ExitLog{Handler: slog.DiscardHandler})),
			executor.ErrorHandler(func(context.Context, executor.Run, error) { told++ }))
		f, err := l.AtFixedRate(0, time.Second, func(context.Context) error { return probe.ExitError{} }, executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		<-f.Done()
		require.NoError(t, l.Close())
		assert.Equal(t, 1, told)
	})
}

// bigError takes memory that can be missed.
type bigError struct{ _ [1 << 16]byte }

func (*bigError) Error() string { return "big" }

func TestAnIdleLoopKeepsNothingOfItsLastTask(t *testing.T) {
	l := eventloop.New(executor.Logger(slog.New(slog.DiscardHandler)))
	defer l.Close()
	_, err := l.Schedule(time.Hour, func(context.Context) error { return nil }) // it goes on
	require.NoError(t, err)
	failed := func() weak.Pointer[bigError] {
		big := new(bigError)
		f, err := l.Submit(func(context.Context) error { return big })
		require.NoError(t, err)
		_, err = f.Get(t.Context())
		require.ErrorIs(t, err, big)
		return weak.Make(big)
	}()
	assert.Eventually(t, func() bool { runtime.GC(); return failed.Value() == nil }, time.Minute, time.Millisecond)
}
