package supervisor_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/executor/supervisor"
	"github.com/punctual-go/punctual/future"
)

// The rows of TimedSupervisorTask: what becomes of a run whose time is over, or whose pool is shut
// down.

func TestTST08_TimeoutEndsTheContextOfTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var ended time.Duration
		var err, cause error
		epoch := time.Now()
		task := func(ctx context.Context) error {
			deadline, ok := ctx.Deadline()
			assert.True(t, ok)
			assert.Equal(t, 10*time.Second, time.Until(deadline))
			<-ctx.Done()
			ended, err, cause = time.Since(epoch), ctx.Err(), context.Cause(ctx)
			return nil
		}
		s := supervise(t, pool, task, supervisor.Timeout(10*time.Second))
		time.Sleep(11 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds(), "what it returns is too late")
		assert.Equal(t, future.ErrTimeout, s.told()[0].Err)
		assert.Equal(t, 10*time.Second, ended)
		assert.Equal(t, context.DeadlineExceeded, err)
		assert.Equal(t, future.ErrTimeout, cause)
		assert.Zero(t, s.Stats().Unfinished)
		assert.Zero(t, pool.Stats().Busy)
	})
}

func TestTST08_AFinishedRunIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		var ctx context.Context
		s := supervise(t, pool, func(c context.Context) error { ctx = c; return nil }, supervisor.Interval(time.Hour))
		s.begun()
		assert.Equal(t, context.Canceled, context.Cause(ctx), "it has ended with the run")
		s.Stop()
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		assert.EqualValues(t, 0, pool.Stats().Cancelled)
	})
}

func TestTST08_ARunThatGoesOnKeepsOthersFromStarting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), pooltest.InTurn(stubborn(100*time.Second), pooltest.Nothing),
			supervisor.Interval(10*time.Second), supervisor.Timeout(10*time.Second), supervisor.Bound(4))
		// It times out at 10; the others would be at 30, 70, 110, 120.
		time.Sleep(99 * time.Second)
		assert.Equal(t, seconds(0), s.begun())
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut, supervisor.Capped, supervisor.Capped}, s.kinds())
		assert.Equal(t, seconds(20, 40, 40), s.delays())
		assert.Equal(t, 1, s.Stats().Unfinished)
		assert.Equal(t, s.told()[1:], s.capped)
		assert.Equal(t, 1, s.capped[0].Unfinished)
		assert.NoError(t, s.capped[0].Err)

		time.Sleep(21 * time.Second)
		assert.Equal(t, seconds(0, 110, 120), s.begun())
		assert.Zero(t, s.Stats().Unfinished)
		assert.EqualValues(t, 2, s.Stats().Succeeded, "what came too late is no success")
	})
}

func TestTST08_AsManyMayBeUnfinishedAsIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := supervise(t, newPool(t), stubborn(24*time.Hour), supervisor.Interval(10*time.Second),
			supervisor.Timeout(10*time.Second), supervisor.Bound(1), supervisor.MaxUnfinished(3))
		time.Sleep(90 * time.Second)
		assert.Equal(t, seconds(0, 20, 40), s.begun())
		assert.Equal(t, 3, s.Stats().Unfinished)
		assert.Equal(t, supervisor.Capped, s.kinds()[3])
	})
}

func TestTST08_ARunThatHasNotBegunInTimeNeverDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		require.NoError(t, pool.Execute(stubborn(15*time.Second)))
		s := supervise(t, pool, pooltest.Nothing, supervisor.Interval(10*time.Second), supervisor.Timeout(10*time.Second), supervisor.Bound(1))
		time.Sleep(9 * time.Second)
		assert.Equal(t, 1, pool.Stats().Queued)
		time.Sleep(2 * time.Second)
		assert.Equal(t, []supervisor.Kind{supervisor.TimedOut}, s.kinds())
		assert.Equal(t, 0, pool.Stats().Queued, "it has left the queue")
		assert.Zero(t, s.Stats().Unfinished)
		time.Sleep(10 * time.Second)
		assert.Equal(t, seconds(20), s.begun())
	})
}

func TestTST09_AShutDownPoolStopsTheSupervisor(t *testing.T) {
	for name, shutDown := range map[string]func(*executor.Pool){
		"Shutdown":    (*executor.Pool).Shutdown,
		"ShutdownNow": func(p *executor.Pool) { p.ShutdownNow() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := newPool(t)
				s := supervise(t, pool, pooltest.Nothing, supervisor.Interval(10*time.Second))
				time.Sleep(15 * time.Second)
				shutDown(pool)
				<-s.Done()
				assert.Equal(t, 15*time.Second, time.Since(s.epoch), "at once, not at the next cycle")
				assert.Equal(t, "stopped", s.state())
				assert.Equal(t, []supervisor.Kind{supervisor.Succeeded, supervisor.Succeeded}, s.kinds(), "in silence")
				assert.Zero(t, s.Stats().Rejected)
				assert.Zero(t, s.Stats().Next)
			})
		})
	}
}

func TestTST09_ARunCutOffByShutdownNowStopsTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, hang, supervisor.Timeout(time.Minute))
		time.Sleep(time.Second)
		pool.ShutdownNow()
		<-s.Done()
		assert.Equal(t, "stopped", s.state())
		assert.Empty(t, s.kinds())
		require.NoError(t, pool.AwaitTermination(t.Context()))
		assert.Equal(t, time.Second, time.Since(s.epoch))
	})
}

func TestTST09_ASuccessInSpiteOfShutdownNowCounts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := newPool(t)
		s := supervise(t, pool, func(ctx context.Context) error { <-ctx.Done(); return nil })
		time.Sleep(time.Second)
		pool.ShutdownNow()
		<-s.Done()
		assert.Equal(t, []supervisor.Kind{supervisor.Succeeded}, s.kinds())
		assert.Equal(t, "stopped", s.state())
	})
}

func TestTST09_ARunDroppedByShutdownNowStopsTheSupervisor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := fixed(t, 1)
		require.NoError(t, pool.Execute(func(ctx context.Context) error { <-ctx.Done(); return nil }))
		s := supervise(t, pool, pooltest.Nothing)
		time.Sleep(time.Second)
		assert.Len(t, pool.ShutdownNow(), 1)
		<-s.Done()
		assert.Equal(t, "stopped", s.state())
		assert.Empty(t, s.kinds())
		assert.Empty(t, s.begun())
	})
}

func TestTST14_RunsDoNotOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, most, runs := 0, 0, 0 // without a lock: the race detector sees runs that overlap
		body := pooltest.InTurn(stubborn(time.Minute), hang, fail, takes(5*time.Second), stubborn(12*time.Second))
		s := supervise(t, newPool(t), func(ctx context.Context) error {
			running++
			runs++
			most = max(most, running)
			defer func() { running-- }()
			return body(ctx)
		}, supervisor.Eureka(10*time.Second, 2), supervisor.FailurePolicy(supervisor.Grow))
		for range 200 {
			time.Sleep(1300 * time.Millisecond)
			s.Trigger()
		}
		require.NoError(t, s.StopContext(nil))
		assert.Equal(t, 1, most)
		assert.Greater(t, runs, 10)
	})
}
