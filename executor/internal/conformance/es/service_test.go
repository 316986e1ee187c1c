package es_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

// serviceEnds runs a pool until its context ends, after a minute, and returns what Run has
// returned, and when.
func serviceEnds(
	t *testing.T, p *executor.ScheduledPool, grace time.Duration,
) (time.Duration, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	start := time.Now()
	err := p.Run(ctx, grace)
	return time.Since(start), err
}

func TestRunLetsTheRunningEndAndDropsWhatIsNotDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, trace := pooltest.NewScheduledPool(t, 1), pooltest.NewTrace()
		pooltest.Schedule(t, p, 50*time.Second, trace.Lasting("slow", 30*time.Second))
		pooltest.Schedule(t, p, 55*time.Second, trace.Task("late"))
		never := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		took, err := serviceEnds(t, p, 25*time.Second)
		assert.NoError(t, err)
		assert.Equal(t, 80*time.Second, took)
		assert.Equal(t, []string{"slow 1m20s", "late 1m20s"}, trace.Seen())
		pooltest.CancelledByShutdown(t, never.Future)
	})
}

func TestRunSaysHowManyHaveNotEndedWithinTheGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2, executor.Name("jobs"))
		interrupted := make([]error, 2)
		for i := range interrupted {
			require.NoError(t, p.Execute(func(ctx context.Context) error {
				<-ctx.Done()
				interrupted[i] = context.Cause(ctx)
				return nil
			}))
		}
		for range 3 {
			require.NoError(t, p.Execute(pooltest.Nothing))
		}
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing) // dropped in any case, so not counted
		took, err := serviceEnds(t, p, 5*time.Second)
		assert.Equal(t, 65*time.Second, took)
		assert.EqualError(t, err, `executor: pool "jobs": tasks have not ended within 5s: `+
			"2 running, 3 not begun: context deadline exceeded")
		assert.ErrorIs(t, err, context.DeadlineExceeded)
		<-p.Terminated()
		assert.Equal(t, []error{executor.ErrShutdown, executor.ErrShutdown}, interrupted)
	})
}

func TestRunWithoutGraceInterruptsAtOnce(t *testing.T) {
	for _, grace := range []time.Duration{0, -time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			p := pooltest.NewScheduledPool(t, 1)
			require.NoError(t, p.Execute(pooltest.Pause(time.Hour)))
			took, err := serviceEnds(t, p, grace)
			assert.Equal(t, time.Minute, took)
			assert.EqualError(t, err, "executor: tasks have not ended within 0s: "+
				"1 running, 0 not begun: context deadline exceeded")
		})
	}
}

func TestRunOfAnIdlePoolSucceedsEvenWithoutGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		require.NoError(t, p.Execute(pooltest.Nothing))
		took, err := serviceEnds(t, p, 0)
		assert.NoError(t, err)
		assert.Equal(t, time.Minute, took)
	})
}

func TestRunEndsWhenSomebodyElseShutsThePoolDown(t *testing.T) {
	for name, shutdown := range map[string]func(p *executor.ScheduledPool){
		"Shutdown":    func(p *executor.ScheduledPool) { p.Shutdown() },
		"ShutdownNow": func(p *executor.ScheduledPool) { p.ShutdownNow() },
		"Close":       func(p *executor.ScheduledPool) { _ = p.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := pooltest.NewScheduledPool(t, 1)
				time.AfterFunc(time.Second, func() { shutdown(p) })
				took, err := serviceEnds(t, p, time.Hour)
				assert.NoError(t, err)
				assert.Equal(t, time.Second, took)
				took, err = serviceEnds(t, p, time.Hour)
				assert.NoError(t, err, "it is over")
				assert.Zero(t, took)
			})
		})
	}
}

func TestRunRefusesATaskOfThePoolAndLeavesItOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		for _, ctx := range []context.Context{nil, t.Context(), ended} {
			f := pooltest.Submit(t, p, func(context.Context) error { return p.Run(ctx, time.Hour) })
			_, err := f.Get(t.Context())
			assert.ErrorIs(t, err, future.ErrSelfWait)
		}
		assert.Equal(t, "running", p.Stats().State)
	})
}

func TestRunMayEndWithARunOfThePool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		ended := make(chan error, 1)
		require.NoError(t, p.Execute(func(ctx context.Context) error {
			go func() { ended <- p.Run(ctx, time.Second) }()
			time.Sleep(time.Minute)
			return nil
		}))
		assert.NoError(t, <-ended)
		<-p.Terminated()
	})
}

func TestRunIsAMemberOfAnErrgroup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		g, ctx := errgroup.WithContext(t.Context())
		g.Go(func() error { return p.Run(ctx, time.Second) })
		g.Go(func() error { time.Sleep(time.Minute); return pooltest.ErrTask })
		assert.Equal(t, pooltest.ErrTask, g.Wait())
		<-p.Terminated()
	})
}
