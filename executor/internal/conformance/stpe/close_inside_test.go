package stpe_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

// withWaits are the calls that wait for the end of a pool. Only some are given a context.
var withWaits = map[string]func(p *executor.ScheduledPool, ctx context.Context) error{
	"Close": func(p *executor.ScheduledPool, _ context.Context) error { return p.Close() },
	"CloseContext": func(p *executor.ScheduledPool, ctx context.Context) error {
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, derived context": func(p *executor.ScheduledPool, ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, other context": func(p *executor.ScheduledPool, _ context.Context) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		_, err := p.CloseContext(ctx)
		return err
	},
	"CloseContext, own goroutine": func(p *executor.ScheduledPool, ctx context.Context) error {
		errs := make(chan error)
		go func() {
			_, err := p.CloseContext(ctx)
			errs <- err
		}()
		return <-errs
	},
}

func TestATaskThatClosesItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	for name, wait := range withWaits {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				start := time.Now()
				f := pooltest.Submit(t, p, func(ctx context.Context) error {
					err := wait(p, ctx)
					if ctx.Err() != nil {
						return errors.New("the close ended the context of its caller")
					}
					return err
				})
				<-p.Terminated()
				assert.Zero(t, time.Since(start))
				assert.Equal(t, future.ErrSelfWait, pooltest.Outcome(t, f))
			})
		})
	}
}

func TestASeriesThatClosesItsPoolEndsWithThatRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(context.Context) error {
			if err := p.Close(); !errors.Is(err, future.ErrSelfWait) {
				return err
			}
			return nil
		})
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.EqualValues(t, 1, f.Runs())
		assert.NoError(t, p.Close())
	})
}

func TestATaskThatClosesItsPoolDropsWhatIsNotDueAndIsReportedAsRunning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		g := pooltest.NewGate(t)
		var report executor.Report
		pooltest.Submit(t, p, func(ctx context.Context) error {
			_ = g.Hold(ctx)
			report, _ = p.CloseContext(ctx)
			return nil
		}, executor.Name("self"))
		pooltest.Submit(t, p, tr.Task("due"))
		late := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("late"))
		g.Open()
		<-p.Terminated()
		assert.Equal(t, []string{"late"}, pooltest.Names(report.Dropped))
		require.Len(t, report.Running, 1)
		assert.Equal(t, "self", report.Running[0].Name)
		assert.Equal(t, []string{"due 0s"}, tr.Seen())
		pooltest.CancelledByShutdown(t, late.Future)
	})
}

func TestTheHooksOfARunMayCloseThePoolAsItsTaskMay(t *testing.T) {
	for _, hook := range []string{"before", "after", "handler"} {
		t.Run(hook, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				errs := map[string]error{} // one worker only
				closeIn := func(name string) {
					if name == hook {
						errs[name] = p.Close()
					}
				}
				p = pooltest.NewScheduledPool(t, 1,
					executor.BeforeRun(func(context.Context, executor.Run) { closeIn("before") }),
					executor.AfterRun(func(context.Context, executor.Run, error) { closeIn("after") }),
					executor.ErrorHandler(func(context.Context, executor.Run, error) { closeIn("handler") }))
				require.NoError(t, p.Execute(pooltest.Fail))
				<-p.Terminated()
				assert.Equal(t, map[string]error{hook: future.ErrSelfWait}, errs)
			})
		})
	}
}

// As for a task: the pool's end waits for the hook.
func TestTheTerminatedHookThatClosesItsPoolIsToldThatItWouldWaitForItself(t *testing.T) {
	ends := map[string]func(p *executor.ScheduledPool){
		"by the last worker": func(p *executor.ScheduledPool) { _, _ = p.Submit(pooltest.Nothing); p.Shutdown() },
		"by the caller":      func(p *executor.ScheduledPool) { p.Shutdown() },
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var err error
				p = pooltest.NewScheduledPool(t, 1, executor.AfterTermination(func() {
					ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
					defer cancel()
					_, err = p.CloseContext(ctx)
				}))
				start := time.Now()
				go end(p)
				<-p.Terminated()
				assert.Equal(t, future.ErrSelfWait, err)
				assert.Zero(t, time.Since(start))
			})
		})
	}
}

func TestATaskMayCloseAnotherPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, other := pooltest.NewScheduledPool(t, 1), pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.Submit(t, other, pooltest.Sleep(time.Hour))
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			_, err := other.CloseContext(ctx)
			return err
		})
		<-f.Done()
		assert.NoError(t, pooltest.Outcome(t, f))
		assert.Equal(t, time.Hour, time.Since(start))
		assert.True(t, probe.IsClosed(other.Terminated()))
	})
}

func TestAFinishedRunIsNotTakenForTheCallerOfClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		var kept context.Context
		pooltest.Submit(t, p, func(ctx context.Context) error {
			kept = ctx
			return nil
		})
		probe.Elapse(time.Minute)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		synctest.Wait()
		_, err := p.CloseContext(kept)
		assert.Equal(t, context.Canceled, err, "the context of a run ends with it")
		require.NoError(t, p.Close())
		assert.Equal(t, time.Hour+time.Minute, time.Since(start))
	})
}
