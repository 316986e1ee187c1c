package stpe_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestAwaitTerminationDoesNotShutThePoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		assert.Equal(t, context.DeadlineExceeded, p.AwaitTermination(ctx))
		assert.Equal(t, time.Minute, time.Since(start))
		assert.Equal(t, "running", p.Stats().State)
		_, err := p.Submit(pooltest.Nothing)
		assert.NoError(t, err)
	})
}

func TestAwaitTerminationReturnsAtTheEndOfTheLastTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Schedule(t, p, time.Hour, pooltest.Sleep(time.Minute))
		p.Shutdown()
		assert.NoError(t, p.AwaitTermination(t.Context()))
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}

func TestATaskThatAwaitsTheEndOfItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	type key struct{}
	contexts := map[string]func(ctx context.Context) context.Context{
		"own context":     func(ctx context.Context) context.Context { return ctx },
		"derived context": func(ctx context.Context) context.Context { return context.WithValue(ctx, key{}, "value") },
		"other context":   func(context.Context) context.Context { return context.Background() },
		"no context":      func(context.Context) context.Context { return nil },
	}
	for name, choose := range contexts {
		for _, shut := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, shut down %v", name, shut), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					p := pooltest.NewScheduledPool(t, 2)
					f := pooltest.Submit(t, p, func(ctx context.Context) error {
						if shut {
							p.Shutdown()
						}
						return p.AwaitTermination(choose(ctx))
					})
					synctest.Wait()
					assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
					assert.Equal(t, shut, probe.IsClosed(p.Terminated()))
				})
			})
		}
	}
}

func TestATaskThatGoexitHasGivenANewGoroutineIsStillToldThatItWouldWaitForItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Goexit)
		f := pooltest.Submit(t, p, func(context.Context) error { return p.Close() })
		<-p.Terminated()
		assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
	})
}

func TestATaskMayShutItsPoolDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			p.Shutdown()
			return ctx.Err()
		})
		<-p.Terminated()
		assert.NoError(t, pooltest.Outcome(t, f))
	})
}

func TestATaskMayStopItsPoolAndSeesItsOwnContextEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g := pooltest.NewGate(t)
		var dropped []executor.Pending
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			dropped = p.ShutdownNow()
			return context.Cause(ctx)
		}, executor.Name("self"))
		pooltest.Submit(t, p, pooltest.Nothing, executor.Name("other"))
		g.Open()
		<-p.Terminated()
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, f))
		assert.Equal(t, future.StateFailed, f.State())
		assert.Equal(t, []string{"other"}, pooltest.Names(dropped))
	})
}

func TestASeriesMayStopItsPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Second, func(context.Context) error {
			p.ShutdownNow()
			return nil
		})
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
	})
}
