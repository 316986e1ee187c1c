package waits_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/eventloop"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/serial"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestAGoroutineThatOutlivesItsTaskMayWaitForLaterOnes(t *testing.T) {
	executors := map[string]func(t *testing.T) (submit func(executor.Task) (*future.Future[struct{}], error)){
		"loop": func(t *testing.T) func(executor.Task) (*future.Future[struct{}], error) {
			l := eventloop.New()
			t.Cleanup(func() { _ = l.Close() })
			return func(task executor.Task) (*future.Future[struct{}], error) { return l.Submit(task) }
		},
		"serial": func(t *testing.T) func(executor.Task) (*future.Future[struct{}], error) {
			s := serial.New(pooltest.NewPool(t, 2))
			return func(task executor.Task) (*future.Future[struct{}], error) { return s.Submit(task) }
		},
	}
	for name, newExecutor := range executors {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				submit := newExecutor(t)
				got := make(chan error, 2)
				_, err := submit(func(ctx context.Context) error {
					later, err := submit(pooltest.Nothing)
					assert.NoError(t, err)
					go func() {
						_, err := later.Get(context.WithoutCancel(ctx))
						got <- err
						_, err = future.All(context.WithoutCancel(ctx), later)
						got <- err
					}()
					time.Sleep(time.Second)
					return nil
				})
				require.NoError(t, err)
				assert.NoError(t, <-got)
				assert.NoError(t, <-got)
			})
		})
	}
}

func TestThePoolMayBeClosedWithTheContextOfATaskThatHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewPool(t, 1)
		ctxs := make(chan context.Context, 1)
		require.NoError(t, p.Execute(func(ctx context.Context) error { ctxs <- ctx; return nil }))
		require.NoError(t, p.Execute(pooltest.Sleep(time.Hour)))
		ended := <-ctxs
		time.Sleep(time.Minute)
		_, err := p.CloseContext(context.WithoutCancel(ended))
		assert.NoError(t, err)
	})
}

func TestTheContextOfATaskWithoutAFutureEndsWithItForEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, p := range map[string]*executor.Pool{"plain": pooltest.NewPool(t, 1), "scheduled": pooltest.Scheduled(t, 1)} {
			ctxs := make(chan context.Context, 3)
			for range 3 {
				require.NoError(t, p.Execute(func(ctx context.Context) error { ctxs <- ctx; return nil }))
			}
			require.NoError(t, p.Execute(pooltest.Sleep(time.Hour)))
			synctest.Wait()
			for range 3 {
				ctx := <-ctxs
				assert.ErrorIs(t, ctx.Err(), context.Canceled, name)
				assert.ErrorIs(t, context.Cause(ctx), context.Canceled, name)
				<-ctx.Done()
				derived, cancel := context.WithCancel(ctx)
				<-derived.Done()
				cancel()
				called := make(chan struct{})
				context.AfterFunc(ctx, func() { close(called) })
				<-called
				_, found := executor.RunFrom(ctx)
				assert.False(t, found, name)
			}
		}
	})
}

func TestTheContextOfARunOfASeriesEndsWithItForEverybody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := eventloop.New()
		defer l.Close()
		type repeat = func(
			initial, period time.Duration, task executor.Task, opts ...executor.TaskOption,
		) (*executor.ScheduledFuture[struct{}], error)
		for name, repeat := range map[string]repeat{"pool": pooltest.NewScheduledPool(t, 1).AtFixedRate, "loop": l.AtFixedRate} {
			ctxs := make(chan context.Context, 2)
			_, err := repeat(0, time.Minute, func(ctx context.Context) error {
				ctxs <- ctx
				time.Sleep(time.Second)
				return nil
			}, executor.MaxRuns(2))
			require.NoError(t, err)
			first := <-ctxs
			second := <-ctxs
			assert.ErrorIs(t, first.Err(), context.Canceled, name)
			assert.NoError(t, second.Err(), name)
			probe.Elapse(time.Hour)
			assert.ErrorIs(t, second.Err(), context.Canceled, name)
		}
	})
}
