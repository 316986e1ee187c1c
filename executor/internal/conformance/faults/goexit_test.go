package faults_test

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
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

// Whatever code of the user's the pool calls may end the goroutine, as t.FailNow does: bodies,
// hooks, handlers, the handler of the log, and the methods of errors.

func exitHook(context.Context, executor.Run, error) { runtime.Goexit() }

func TestACallerLeavesWhoseTaskAndHookBothEndTheGoroutine(t *testing.T) {
	for name, option := range map[string]executor.Option{
		"after-run hook": executor.AfterRun(exitHook), "handler": executor.ErrorHandler(exitHook),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := executor.NewPool(1, executor.Queue(queue.HandOff()), executor.OnRejection(rejection.CallerRuns), option)
				_, err := p.Submit(pooltest.Sleep(time.Second))
				require.NoError(t, err)
				go func() { _ = p.Execute(pooltest.Goexit) }() // which ends that goroutine, as documented
				time.Sleep(time.Minute)
				pooltest.EndsAtOnce(t, p)
			})
		})
	}
}

func TestAHelperLeavesWhoseTaskAndHookBothEndTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.AfterRun(exitHook))
		parent, err := p.Submit(func(ctx context.Context) error {
			child, err := p.Submit(pooltest.Goexit)
			if err == nil {
				_, err = child.Get(ctx)
			}
			return err
		})
		require.NoError(t, err)
		_, err = parent.GetTimeout(time.Minute)
		assert.ErrorIs(t, err, future.ErrGoexit)
		pooltest.EndsAtOnce(t, p)
	})
}

func TestAnOverdueRunEndsWhoseErrorEndsTheGoroutine(t *testing.T) {
	slow := func(context.Context) error { time.Sleep(2 * time.Second); return probe.ExitError{} }
	quiet := executor.Logger(slog.New(slog.DiscardHandler))
	t.Run("once", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewPool(1, quiet)
			f, err := p.Submit(slow, executor.Timeout(time.Second))
			require.NoError(t, err)
			time.Sleep(time.Minute)
			pooltest.EndsAtOnce(t, p)
			assert.True(t, probe.IsClosed(f.Stopped()), "the body has returned")
		})
	})
	t.Run("series", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			p := executor.NewScheduledPool(1, quiet)
			f, err := p.AtFixedRate(0, 10*time.Second, slow, executor.Timeout(time.Second), executor.FailurePolicy(executor.Continue))
			require.NoError(t, err)
			time.Sleep(65 * time.Second)
			assert.EqualValues(t, 7, f.Runs())
			assert.EqualValues(t, 7, p.Stats().Failures)
			pooltest.EndsAtOnce(t, &p.Pool)
			assert.True(t, f.State().Settled())
		})
	})
}

func TestTheHandlerIsToldOfTheEndOfASeriesThoughTheLogEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		boom, told := errors.New("boom"), []error{}
		p := executor.NewScheduledPool(1, executor.Logger(slog.New(pooltest.ExitLog{Handler: slog.DiscardHandler})),
			executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) { told = append(told, err) }))
		_, err := p.AtFixedRate(0, time.Second, func(context.Context) error { return boom }, executor.FailurePolicy(executor.StopSeries))
		require.NoError(t, err)
		time.Sleep(time.Minute)
		pooltest.EndsAtOnce(t, &p.Pool)
		assert.Equal(t, []error{boom}, told)
	})
}

// exitText is a panic value of which the text ends the goroutine.
type exitText struct{}

func (exitText) String() string { runtime.Goexit(); return "" }

func TestTheHandlerIsToldOfAHookThatPanicsThoughItsTextEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		told := 0
		p := executor.NewPool(1, executor.AfterRun(func(context.Context, executor.Run, error) { panic(exitText{}) }),
			executor.ErrorHandler(func(_ context.Context, _ executor.Run, err error) {
				if errors.As(err, new(*future.PanicError)) {
					told++
				}
			}))
		require.NoError(t, p.Execute(pooltest.Nothing))
		synctest.Wait()
		pooltest.EndsAtOnce(t, p)
		assert.Equal(t, 1, told)
	})
}

func TestAGroupEndsByAnErrorThatEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(2, executor.Logger(slog.New(slog.DiscardHandler)))
		g := bulk.NewGroup(t.Context(), p)
		require.NoError(t, g.Go(func(ctx context.Context) error { <-ctx.Done(); return nil }, executor.Timeout(time.Hour)))
		require.NoError(t, g.Go(func(context.Context) error { time.Sleep(time.Second); return probe.ExitError{} }))
		began := time.Now()
		err := g.Wait()
		assert.Equal(t, time.Second, time.Since(began), "the others are cancelled at once")
		assert.ErrorIs(t, err, probe.ExitError{})
		pooltest.EndsAtOnce(t, p)
	})
}

func TestAGroupEndsWithAContextWhoseCauseEndsTheGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1)
		ctx, cancel := context.WithCancelCause(context.Background())
		g := bulk.NewGroup(ctx, p)
		require.NoError(t, g.Go(func(ctx context.Context) error { <-ctx.Done(); return nil }, executor.Timeout(time.Hour)))
		synctest.Wait()
		cancel(probe.ExitError{})
		began := time.Now()
		assert.ErrorIs(t, g.Wait(), probe.ExitError{})
		assert.Zero(t, time.Since(began))
		pooltest.EndsAtOnce(t, p)
	})
}

func TestASubmitterWhoseContextEndsTheGoroutineLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := executor.NewPool(1, executor.Queue(queue.HandOff()))
		_, err := p.Submit(pooltest.Sleep(time.Minute))
		require.NoError(t, err)
		ctx, cancel := context.WithCancelCause(t.Context())
		ran, over := false, make(chan struct{})
		go func() {
			defer close(over)
			_, err := p.SubmitContext(ctx, func(context.Context) error { ran = true; return nil })
			assert.ErrorIs(t, err, executor.ErrSaturated)
			assert.ErrorIs(t, err, probe.ExitError{})
		}()
		time.Sleep(time.Second)
		cancel(probe.ExitError{})
		<-over
		time.Sleep(time.Hour)
		assert.False(t, ran, "the task of a submitter who has left")
		assert.EqualValues(t, 1, p.Stats().Rejected)
		pooltest.EndsAtOnce(t, p)
	})
}
