package stpe_test

import (
	"context"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// withEnds are the ways a pool comes to its end, by whose goroutine takes the last step. Each
// prepares a pool and returns what starts its end.
var withEnds = map[string]func(t *testing.T, p *executor.ScheduledPool) (start func()){
	"worker": func(t *testing.T, p *executor.ScheduledPool) func() {
		pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		synctest.Wait()
		return p.Shutdown
	},
	"idle worker": func(t *testing.T, p *executor.ScheduledPool) func() {
		pooltest.Submit(t, p, pooltest.Nothing)
		synctest.Wait()
		return p.Shutdown
	},
	"worker after Goexit": func(t *testing.T, p *executor.ScheduledPool) func() {
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			return pooltest.Goexit(ctx)
		})
		p.Shutdown()
		return g.Open
	},
	"caller of Shutdown": func(_ *testing.T, p *executor.ScheduledPool) func() { return p.Shutdown },
	"caller of ShutdownNow": func(_ *testing.T, p *executor.ScheduledPool) func() {
		return func() { p.ShutdownNow() }
	},
	"caller of Close": func(_ *testing.T, p *executor.ScheduledPool) func() {
		return func() { _ = p.Close() }
	},
	"worker, last task cancelled": func(t *testing.T, p *executor.ScheduledPool) func() {
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		synctest.Wait()
		p.Shutdown()
		return func() { f.Cancel() }
	},
}

func TestTheTerminatedHookIsCalledOnceWhateverItDoes(t *testing.T) {
	for name, end := range withEnds {
		for _, fault := range pooltest.Faults {
			t.Run(name+", "+fault.Name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var told pooltest.Errors
					var hooks atomic.Int32
					p := pooltest.NewScheduledPool(t, 2, executor.ErrorHandler(told.Handle), executor.AfterTermination(func() {
						hooks.Add(1)
						fault.Do()
					}))
					go end(t, p)()
					<-p.Terminated()
					p.Shutdown()
					p.ShutdownNow()
					assert.NoError(t, p.Close())
					synctest.Wait()
					assert.EqualValues(t, 1, hooks.Load())
					assert.Equal(t, "terminated", p.Stats().State)
					assert.Empty(t, pooltest.Workers(t))
					if fault.Name == "panic" {
						errs := slices.DeleteFunc(told.Told(), func(err error) bool { return err == future.ErrGoexit }) // of a task
						require.Len(t, errs, 1)
						assert.ErrorIs(t, errs[0], pooltest.ErrTask)
					}
				})
			})
		}
	}
}

// A caller has a goroutine of its own, which a hook of the pool has no business to end.
func TestATerminatedHookThatCallsGoexitDoesNotEndTheGoroutineOfACaller(t *testing.T) {
	for name, end := range withEnds {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 2, executor.AfterTermination(runtime.Goexit))
				start := end(t, p)
				var returned atomic.Bool
				go func() {
					start()
					returned.Store(true)
				}()
				<-p.Terminated()
				synctest.Wait()
				assert.True(t, returned.Load())
			})
		})
	}
}

func TestTheTerminatedHookIsCalledBeforeTerminatedCloses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1, executor.AfterTermination(func() { time.Sleep(time.Hour) }))
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		require.NoError(t, p.Close())
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}
