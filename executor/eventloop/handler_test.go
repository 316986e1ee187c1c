package eventloop_test

import (
	"context"
	"log/slog"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/future"
)

// slowSeries runs a series on l whose first run outlives its time-out, and which therefore ends.
func slowSeries(t *testing.T, l *eventloop.Loop) {
	t.Helper()
	_, err := l.AtFixedRate(0, time.Hour, func(ctx context.Context) error {
		<-ctx.Done()
		return nil
	}, executor.Timeout(time.Second))
	require.NoError(t, err)
}

// The handler is called on the goroutine of the time-out, which is nobody's.
func TestAHandlerOfATimeOutThatEndsItsGoroutineDoesNotKeepTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New(eventloop.Logger(slog.New(slog.DiscardHandler)), eventloop.ErrorHandler(func(context.Context, executor.Run, error) {
			runtime.Goexit()
		}))
		slowSeries(t, l)
		time.Sleep(2 * time.Second)
		require.NoError(t, l.Close())
		s := l.Stats()
		assert.EqualValues(t, 1, s.Completed)
		assert.Equal(t, s.Accepted, s.Completed+s.Cancelled+s.Returned)
	})
}

func TestAHandlerOfATimeOutMayCloseTheLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var l *eventloop.Loop
		var got error
		l = eventloop.New(eventloop.Logger(slog.New(slog.DiscardHandler)), eventloop.ErrorHandler(func(context.Context, executor.Run, error) {
			got = l.Close()
		}))
		slowSeries(t, l)
		<-l.Terminated()
		assert.ErrorIs(t, got, future.ErrSelfWait)
	})
}
