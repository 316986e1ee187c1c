package stpe_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
)

func TestSTPE080_ShutdownIsSeenAtOnceAndDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		synctest.Wait()
		assert.Equal(t, "running", p.Stats().State)
		start := time.Now()
		p.Shutdown()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, "shutting down", p.Stats().State)
		_, err := p.Submit(pooltest.Nothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestSTPE080_ShutdownTwiceIsShutdownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		p.Shutdown()
		p.Shutdown()
		assert.Equal(t, "shutting down", p.Stats().State)
		assert.Equal(t, 1, p.Stats().Queued)
		pooltest.Elapse(2 * time.Hour)
		assert.NoError(t, pooltest.Outcome(t, f.Future))
	})
}

func TestSTPE081_B38_TerminatedClosesWhenTheLastTaskHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		synctest.Wait()
		assert.False(t, pooltest.IsClosed(p.Terminated()))
		p.Shutdown()
		assert.False(t, pooltest.IsClosed(p.Terminated()))
		<-p.Terminated()
		assert.Equal(t, time.Hour, time.Since(start))
	})
}

func TestSTPE082_ThePoolPassesThroughItsStates(t *testing.T) {
	stops := map[string]func(p *executor.ScheduledPool){
		"shutting down": func(p *executor.ScheduledPool) { p.Shutdown() },
		"stopping":      func(p *executor.ScheduledPool) { p.ShutdownNow() },
	}
	for state, stop := range stops {
		t.Run(state, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p *executor.ScheduledPool
				var inHook string
				p = pooltest.NewScheduledPool(t, 1, executor.OnTerminated(func() { inHook = p.Stats().State }))
				pooltest.Submit(t, p, pooltest.Sleep(time.Second))
				synctest.Wait()
				assert.Equal(t, "running", p.Stats().State)
				stop(p)
				assert.Equal(t, state, p.Stats().State)
				<-p.Terminated()
				assert.Equal(t, "tidying", inHook)
				assert.Equal(t, "terminated", p.Stats().State)
			})
		})
	}
}

func TestSTPE082_ShutdownNowAfterShutdownStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("kept"))
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		p.Shutdown()
		assert.Equal(t, []string{"kept"}, pooltest.Names(p.ShutdownNow()))
		assert.Equal(t, "stopping", p.Stats().State)
		p.Shutdown()
		assert.Equal(t, "stopping", p.Stats().State)
	})
}

func TestSTPE088_ATaskCancelledBeforeShutdownDoesNotDelayTermination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		f.Cancel()
		p.Shutdown()
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

func TestSTPE089_ShutdownWaitsForAFarTaskByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Schedule(t, p, 1000*time.Hour, tr.Task("far"))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"far 1000h0m0s"}, tr.Seen())
		assert.Equal(t, 1000*time.Hour, time.Since(tr.Start))
	})
}

// In Java this needs removal on cancel, or a purge.
func TestSTPE090_CancellingTheFarTaskAfterShutdownTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Schedule(t, p, 1000*time.Hour, pooltest.Nothing)
		p.Shutdown()
		start := time.Now()
		f.Cancel()
		<-p.Terminated()
		assert.Zero(t, time.Since(start))
	})
}

// The matrix of what a shutdown does to each kind of task, under every setting of the policies.

type withColumn struct {
	delayed, periodic bool // execute delayed, continue periodic after shutdown
	now               bool // ShutdownNow, to which the policies do not matter
}

func (c withColumn) pool(t *testing.T, core int) *executor.ScheduledPool {
	p := pooltest.NewScheduledPool(t, core)
	p.SetExecuteDelayedAfterShutdown(c.delayed)
	p.SetContinuePeriodicAfterShutdown(c.periodic)
	assert.Equal(t, c.delayed, p.ExecuteDelayedAfterShutdown())
	assert.Equal(t, c.periodic, p.ContinuePeriodicAfterShutdown())
	return p
}

func (c withColumn) shutdown(p *executor.ScheduledPool) []executor.Pending {
	if c.now {
		return p.ShutdownNow()
	}
	p.Shutdown()
	return nil
}

// handedBack is how many tasks shutdown hands back if all there is is a series in a run. Java's
// list has none.
func (c withColumn) handedBack() int {
	if c.now {
		return 1
	}
	return 0
}

// withMatrix checks one row of the matrix in each of its columns.
func withMatrix(t *testing.T, row func(t *testing.T, c withColumn)) {
	for i := range 8 {
		c := withColumn{i&1 == 0, i&2 != 0, i&4 != 0}
		t.Run(fmt.Sprintf("delayed=%v periodic=%v now=%v", c.delayed, c.periodic, c.now), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { row(t, c) })
		})
	}
}

func TestSTPE092_STPE097_MatrixRunningOneShotKeepsItsOutcome(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := pooltest.NewGate(t)
		var cause error
		f, err := executor.Submit(&p.Pool, func(ctx context.Context) (string, error) {
			<-g.Opened
			cause = context.Cause(ctx)
			return "value", nil
		})
		require.NoError(t, err)
		synctest.Wait()

		assert.Empty(t, c.shutdown(p))
		assert.Equal(t, future.Running, f.State())
		assert.False(t, pooltest.IsClosed(p.Terminated()))
		g.Open()
		synctest.Wait()
		r, ok := f.Poll()
		require.True(t, ok)
		assert.Equal(t, future.Result[string]{Value: "value"}, r)
		if c.now {
			assert.Equal(t, executor.ErrShutdown, cause)
		} else {
			assert.NoError(t, cause)
		}
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

// withDue queues one task of each kind that is due behind a running task.
func withDue(t *testing.T, p *executor.ScheduledPool, tr *pooltest.Trace) []*future.Future[struct{}] {
	require.NoError(t, p.Execute(tr.Task("executed")))
	submitted := pooltest.Submit(t, p, tr.Task("submitted"))
	immediate := pooltest.Schedule(t, p, 0, tr.Task("immediate"))
	negative := pooltest.Schedule(t, p, -time.Hour, tr.Task("negative"))
	elapsed := pooltest.Schedule(t, p, time.Minute, tr.Task("elapsed"))
	pooltest.Elapse(2 * time.Minute)
	return []*future.Future[struct{}]{submitted, immediate.Future, negative.Future, elapsed.Future}
}

func TestSTPE083_MatrixQueuedDueTasksRunInEveryCase(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		tr := pooltest.NewTrace()
		futures := withDue(t, p, tr)

		dropped := c.shutdown(p)
		for _, f := range futures {
			assert.Equal(t, c.now, f.State().Settled())
		}
		g.Open()
		synctest.Wait()
		if c.now { // Java leaves the futures pending
			assert.Len(t, dropped, 5)
			assert.Empty(t, tr.Seen())
		} else {
			want := []string{"executed 2m0s", "submitted 2m0s", "immediate 2m0s", "negative 2m0s", "elapsed 2m0s"}
			assert.Equal(t, want, tr.Seen())
		}
		for _, f := range futures {
			if c.now {
				pooltest.CancelledByShutdown(t, f)
			} else {
				assert.NoError(t, pooltest.Outcome(t, f))
			}
		}
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

func TestSTPE084_E5_MatrixQueuedOneShotNotYetDue(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := pooltest.NewTrace()
		f := pooltest.Schedule(t, p, time.Hour, tr.Task("late"), executor.Name("late"))
		synctest.Wait()

		dropped := c.shutdown(p)
		if c.delayed && !c.now {
			assert.Equal(t, future.Pending, f.State())
			<-p.Terminated()
			assert.Equal(t, []string{"late 1h0m0s"}, tr.Seen())
			assert.NoError(t, pooltest.Outcome(t, f.Future))
			assert.Equal(t, time.Hour, time.Since(tr.Start))
			return
		}
		pooltest.CancelledByShutdown(t, f.Future)
		assert.Zero(t, p.Stats().Queued)
		if c.now {
			assert.Equal(t, []string{"late"}, pooltest.Names(dropped))
		}
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
		pooltest.Elapse(2 * time.Hour)
		assert.Empty(t, tr.Seen())
	})
}

func TestSTPE085_STPE087_MatrixQueuedSeries(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := pooltest.NewTrace()
		rate := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("rate"), executor.Name("rate"))
		delay := pooltest.WithFixedDelay(t, p, 90*time.Minute, time.Hour, tr.Task("delay"), executor.Name("delay"))
		synctest.Wait()

		dropped := c.shutdown(p)
		if c.periodic && !c.now {
			pooltest.Elapse(3 * time.Hour)
			assert.Equal(t, []string{"rate 1h0m0s", "delay 1h30m0s", "rate 2h0m0s", "delay 2h30m0s", "rate 3h0m0s"}, tr.Seen())
			assert.Equal(t, future.Pending, rate.State())
			assert.Equal(t, future.Pending, delay.State())
			assert.False(t, pooltest.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, rate.Future)
		pooltest.CancelledByShutdown(t, delay.Future)
		if c.now {
			assert.Equal(t, []string{"rate", "delay"}, pooltest.Names(dropped))
		}
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
		pooltest.Elapse(3 * time.Hour)
		assert.Empty(t, tr.Seen())
	})
}

func TestSTPE085_MatrixQueuedSeriesThatIsDue(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		tr := pooltest.NewTrace()
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, tr.Task("due"), executor.Name("due"))
		pooltest.Elapse(time.Minute)

		dropped := c.shutdown(p)
		kept := c.periodic && !c.now
		assert.Equal(t, !kept, f.State().Settled())
		g.Open()
		synctest.Wait()
		if kept {
			assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
			assert.False(t, pooltest.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, f.Future)
		if c.now {
			assert.Equal(t, []string{"due"}, pooltest.Names(dropped))
		}
		assert.Empty(t, tr.Seen())
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

func TestSTPE086_STPE097_MatrixRunningSeries(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := pooltest.NewTrace()
		causes := make(chan error, 3)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(ctx context.Context) error {
			tr.Mark("run")
			time.Sleep(time.Minute)
			causes <- context.Cause(ctx)
			return nil
		})
		synctest.Wait()

		assert.Len(t, c.shutdown(p), c.handedBack())
		assert.Equal(t, future.Running, f.State())
		pooltest.Elapse(time.Minute)
		if cause := <-causes; c.now {
			assert.Equal(t, executor.ErrShutdown, cause)
		} else {
			assert.NoError(t, cause)
		}
		if c.periodic && !c.now {
			assert.Equal(t, future.Pending, f.State())
			pooltest.Elapse(2 * time.Hour)
			assert.Equal(t, []string{"run 0s", "run 1h0m0s", "run 2h0m0s"}, tr.Seen())
			assert.False(t, pooltest.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, f.Future)
		assert.True(t, pooltest.IsClosed(p.Terminated()))
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		pooltest.Elapse(2 * time.Hour)
		assert.Equal(t, []string{"run 0s"}, tr.Seen())
	})
}

func TestSTPE097_MatrixRunningSeriesThatFails(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := pooltest.NewGate(t)
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(context.Context) error {
			<-g.Opened
			panic(pooltest.ErrTask)
		})
		synctest.Wait()
		assert.Len(t, c.shutdown(p), c.handedBack())
		g.Open()
		synctest.Wait()
		assert.ErrorIs(t, pooltest.Outcome(t, f.Future), pooltest.ErrTask)
		assert.Equal(t, future.StateFailed, f.State())
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

// Java's ShutdownNow hands cancelled tasks back too.
func TestSTPE088_MatrixCancelledTasksAreGone(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		once := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing)
		once.Cancel()
		series.Stop()
		assert.Empty(t, c.shutdown(p))
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
		assert.Equal(t, future.ErrCancelled, pooltest.Outcome(t, once.Future))
		assert.Equal(t, future.ErrCancelled, pooltest.Outcome(t, series.Future))
		s := p.Stats()
		assert.Equal(t, []uint64{2, 2, 0}, []uint64{s.Accepted, s.Cancelled, s.Returned})
	})
}

func TestSTPE087_STPE089_MatrixTermination(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 2)
		start := time.Now()
		pooltest.Submit(t, p, pooltest.Sleep(10*time.Minute))
		series := pooltest.AtFixedRate(t, p, 0, time.Hour, pooltest.Sleep(5*time.Minute))
		pooltest.Schedule(t, p, 2*time.Hour, pooltest.Nothing)
		synctest.Wait()

		c.shutdown(p)
		if c.periodic && !c.now {
			pooltest.Elapse(9*time.Hour + 30*time.Minute)
			assert.False(t, pooltest.IsClosed(p.Terminated()))
			series.Cancel()
			<-p.Terminated()
			assert.Equal(t, 9*time.Hour+30*time.Minute, time.Since(start))
			return
		}
		<-p.Terminated()
		want := 10 * time.Minute
		if c.delayed && !c.now {
			want = 2 * time.Hour
		}
		assert.Equal(t, want, time.Since(start))
	})
}

func TestSTPE083_ADelayThatHasJustElapsedCountsAsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := pooltest.NewTrace()
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		pooltest.Schedule(t, p, time.Minute, tr.Task("due"))
		f := pooltest.Schedule(t, p, time.Minute+1, tr.Task("not due"))
		pooltest.Elapse(time.Minute)
		p.Shutdown()
		pooltest.CancelledByShutdown(t, f.Future)
		g.Open()
		<-p.Terminated()
		assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
	})
}

func TestSTPE087_AfterShutdownASeriesThatFailsLetsThePoolTerminate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 2)
		start, runs := time.Now(), 0
		f := pooltest.WithFixedDelay(t, p, time.Hour, time.Hour, func(context.Context) error {
			if runs++; runs == 5 {
				panic(pooltest.ErrTask)
			}
			return nil
		})
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, 5*time.Hour, time.Since(start))
		assert.ErrorIs(t, pooltest.Outcome(t, f.Future), pooltest.ErrTask)
	})
}

func TestSTPE087_AfterShutdownTheLastOfMaxRunsLetsThePoolTerminate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 2)
		start := time.Now()
		f := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing, executor.MaxRuns(3))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, 3*time.Hour, time.Since(start))
		assert.NoError(t, pooltest.Outcome(t, f.Future))
	})
}

// Changes of a policy after Shutdown.

func TestSTPE091_DelayedSetToFalseAfterShutdownSweepsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 1)
		tr := pooltest.NewTrace()
		once := pooltest.Schedule(t, p, time.Hour, tr.Task("once"))
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("series"))
		p.Shutdown()
		p.SetExecuteDelayedAfterShutdown(false)
		pooltest.CancelledByShutdown(t, once.Future)
		assert.Equal(t, future.Pending, series.State())
		pooltest.Elapse(time.Hour)
		assert.Equal(t, []string{"series 1h0m0s"}, tr.Seen())
	})
}

func TestSTPE091_PeriodicSetToFalseAfterShutdownSweepsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 1)
		tr := pooltest.NewTrace()
		once := pooltest.Schedule(t, p, time.Hour, tr.Task("once"))
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("series"))
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		pooltest.CancelledByShutdown(t, series.Future)
		assert.Equal(t, future.Pending, once.State())
		<-p.Terminated()
		assert.Equal(t, []string{"once 1h0m0s"}, tr.Seen())
	})
}

func TestSTPE091_ASweepThatEmptiesTheQueueTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 3)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing)
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		p.SetExecuteDelayedAfterShutdown(false)
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
	})
}

func TestSTPE091_PeriodicSetToFalseAfterShutdownEndsARunningSeriesAfterItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 1)
		tr := pooltest.NewTrace()
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(ctx context.Context) error {
			tr.Mark("run")
			time.Sleep(time.Minute)
			return ctx.Err()
		})
		synctest.Wait()
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		assert.Equal(t, future.Running, f.State())
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		assert.Equal(t, []string{"run 0s"}, tr.Seen())
	})
}

func TestSTPE091_APolicySetToTrueAfterShutdownRevivesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		tr := pooltest.NewTrace()
		once := pooltest.Schedule(t, p, time.Hour, tr.Task("once"))
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("series"))
		p.Shutdown()
		p.SetExecuteDelayedAfterShutdown(true)
		p.SetContinuePeriodicAfterShutdown(true)
		pooltest.CancelledByShutdown(t, once.Future)
		pooltest.CancelledByShutdown(t, series.Future)
		assert.Zero(t, p.Stats().Queued)
		g.Open()
		synctest.Wait()
		assert.True(t, pooltest.IsClosed(p.Terminated()))
		pooltest.Elapse(2 * time.Hour)
		assert.Empty(t, tr.Seen())
	})
}

func TestSTPE091_PeriodicSetToTrueAfterShutdownKeepsARunningSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := pooltest.NewTrace()
		f := pooltest.WithFixedDelay(t, p, 0, time.Hour, func(context.Context) error {
			tr.Mark("run")
			time.Sleep(time.Minute)
			return nil
		})
		synctest.Wait()
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(true)
		pooltest.Elapse(2*time.Hour + 2*time.Minute)
		assert.Equal(t, []string{"run 0s", "run 1h1m0s", "run 2h2m0s"}, tr.Seen())
		assert.False(t, f.State().Settled())
	})
}

func TestSTPE091_APolicySetAfterShutdownNowChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := pooltest.NewTrace()
		f := pooltest.AtFixedRate(t, p, 0, time.Hour, func(context.Context) error {
			tr.Mark("run")
			time.Sleep(time.Minute)
			return nil
		})
		synctest.Wait()
		p.ShutdownNow()
		p.SetContinuePeriodicAfterShutdown(true)
		p.SetExecuteDelayedAfterShutdown(true)
		<-p.Terminated()
		pooltest.CancelledByShutdown(t, f.Future)
		assert.Equal(t, []string{"run 0s"}, tr.Seen())
	})
}

// ShutdownNow.

func TestSTPE092_ShutdownNowEmptiesTheQueueAndInterruptsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 2)
		g := pooltest.NewGate(t)
		running := []*future.Future[struct{}]{pooltest.Submit(t, p, g.Heed), pooltest.Submit(t, p, g.Heed)}
		synctest.Wait()
		for i := range 5 {
			pooltest.Submit(t, p, pooltest.Nothing, executor.Name(fmt.Sprint(i)))
		}
		assert.Equal(t, []string{"0", "1", "2", "3", "4"}, pooltest.Names(p.ShutdownNow()))
		assert.Zero(t, p.Stats().Queued)
		<-p.Terminated()
		for _, f := range running {
			assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, f))
			assert.Equal(t, future.StateFailed, f.State())
		}
		s := p.Stats()
		assert.Equal(t, []uint64{7, 2, 5, 2}, []uint64{s.Accepted, s.Completed, s.Returned, s.Runs})
	})
}

func TestSTPE092_ShutdownNowEndsContextsDerivedFromARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		f := pooltest.Submit(t, p, func(ctx context.Context) error {
			ctx, cancel := context.WithTimeout(ctx, time.Hour)
			defer cancel()
			<-ctx.Done()
			return context.Cause(ctx)
		})
		synctest.Wait()
		start := time.Now()
		p.ShutdownNow()
		<-f.Done()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, executor.ErrShutdown, pooltest.Outcome(t, f))
	})
}

// Java hands out the futures themselves.
func TestSTPE093_ShutdownNowHandsBackEveryDelayedAndPeriodicTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		start := time.Now()
		pooltest.AtFixedRate(t, p, 0, 3*time.Hour, pooltest.Nothing, executor.Name("rate"))
		pooltest.Elapse(time.Hour)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing, executor.Name("once"))
		pooltest.WithFixedDelay(t, p, time.Minute, time.Hour, pooltest.Nothing, executor.Name("delay"))

		type row struct {
			name     string
			at       time.Duration
			periodic bool
			runs     uint64
		}
		var got []row
		for _, d := range p.ShutdownNow() {
			got = append(got, row{d.Name, d.Scheduled.Sub(start), d.Periodic, d.Runs})
		}
		assert.Equal(t, []row{
			{"delay", 61 * time.Minute, true, 0},
			{"once", 2 * time.Hour, false, 0},
			{"rate", 3 * time.Hour, true, 1},
		}, got)
	})
}

// Java leaves them neither done nor cancelled.
func TestSTPE094_B15_DrainedFuturesAreSettledBeforeShutdownNowReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		futures := []*future.Future[struct{}]{
			pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Future,
			pooltest.AtFixedRate(t, p, time.Hour, time.Hour, pooltest.Nothing).Future,
			pooltest.WithFixedDelay(t, p, time.Hour, time.Hour, pooltest.Nothing).Future,
		}
		p.ShutdownNow()
		for _, f := range futures {
			pooltest.CancelledByShutdown(t, f)
			assert.True(t, pooltest.IsClosed(f.Stopped()))
			assert.False(t, f.Cancel())
		}
	})
}

// Java's list is not sorted.
func TestSTPE095_ShutdownNowHandsBackInOrderOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Submit(t, p, pooltest.NewGate(t).Hold)
		synctest.Wait()
		for i, m := range []int{50, 1, 40, 2, 30, 20, 1, 10, 50} {
			pooltest.Schedule(t, p, time.Duration(m)*time.Minute, pooltest.Nothing, executor.Name(fmt.Sprintf("%d#%d", m, i)))
		}
		pooltest.Elapse(5 * time.Minute)
		want := []string{"1#1", "1#6", "2#3", "10#7", "20#5", "30#4", "40#2", "50#0", "50#8"}
		assert.Equal(t, want, pooltest.Names(p.ShutdownNow()))
	})
}

// In Java a drained task cancels itself instead.
func TestSTPE096_ADrainedTaskCanBeRunByHandAndItsFutureStaysCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		f := pooltest.Schedule(t, p, time.Hour, tr.Task("by hand"))
		typed, err := executor.Schedule(p, time.Hour, func(context.Context) (int, error) { return 1, pooltest.ErrTask })
		require.NoError(t, err)
		dropped := p.ShutdownNow()
		require.Len(t, dropped, 2)
		assert.NoError(t, dropped[0].Task(context.Background()))
		assert.Equal(t, pooltest.ErrTask, dropped[1].Task(context.Background()))
		assert.Equal(t, []string{"by hand 0s"}, tr.Seen())
		pooltest.CancelledByShutdown(t, f.Future)
		r, ok := typed.Poll()
		require.True(t, ok)
		assert.Zero(t, r.Value)
		assert.ErrorIs(t, r.Err, executor.ErrShutdown)
	})
}

func TestSTPE098_ASecondShutdownNowReturnsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		pooltest.Schedule(t, p, time.Hour, pooltest.Nothing)
		assert.Len(t, p.ShutdownNow(), 1)
		assert.Empty(t, p.ShutdownNow())
	})
}

func TestSTPE098_AfterTerminationNothingChangesAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hooks := 0
		p := pooltest.NewScheduledPool(t, 2, executor.OnTerminated(func() { hooks++ }))
		pooltest.Submit(t, p, pooltest.Nothing)
		require.NoError(t, p.Close())
		before := p.Stats()
		p.Shutdown()
		assert.Empty(t, p.ShutdownNow())
		p.SetContinuePeriodicAfterShutdown(true)
		p.SetExecuteDelayedAfterShutdown(false)
		require.NoError(t, p.SetCoreSize(1))
		require.NoError(t, p.SetCoreSize(2))
		synctest.Wait()
		assert.Equal(t, before, p.Stats())
		assert.Equal(t, "terminated", before.State)
		assert.Equal(t, 1, hooks)
	})
}

// Java's close waits for delayed tasks under the default policies.
func TestSTPE099_CloseWaitsForDueTasksOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 1)
		tr := pooltest.NewTrace()
		pooltest.Submit(t, p, pooltest.Sleep(time.Minute))
		pooltest.Submit(t, p, tr.Task("due"))
		late := pooltest.Schedule(t, p, time.Hour, tr.Task("late"))
		series := pooltest.AtFixedRate(t, p, time.Hour, time.Hour, tr.Task("series"))
		require.NoError(t, p.Close())
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
		pooltest.CancelledByShutdown(t, late.Future)
		pooltest.CancelledByShutdown(t, series.Future)
	})
}

// How a shutdown meets what happens at the same time.

func TestShutdownSendsIdleWorkersHomeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 8)
		for range 8 {
			pooltest.Submit(t, p, pooltest.Sleep(time.Second))
		}
		long := pooltest.Submit(t, p, pooltest.Sleep(time.Hour))
		pooltest.Elapse(time.Minute)
		require.Equal(t, 8, p.Stats().Workers)
		p.Shutdown()
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Equal(t, future.Running, long.State())
	})
}

func TestShutdownLeavesWorkersForTheTasksToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := pooltest.NewScheduledPool(t, 3)
		tr := pooltest.NewTrace()
		for range 3 {
			pooltest.Schedule(t, p, time.Hour, func(context.Context) error {
				tr.Mark("start")
				time.Sleep(time.Minute)
				return nil
			})
		}
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"start 1h0m0s", "start 1h0m0s", "start 1h0m0s"}, tr.Seen())
		assert.Equal(t, time.Hour+time.Minute, time.Since(tr.Start))
	})
}

func TestTerminatedClosesOnlyWhenEveryDrainedFutureIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 5 {
			p := pooltest.NewScheduledPool(t, 1)
			first := pooltest.Schedule(t, p, time.Hour, pooltest.Nothing).Future
			last := pooltest.Schedule(t, p, 2*time.Hour, pooltest.Nothing).Future
			// Many futures depend on the first, so that the idle worker is gone before it is settled.
			for f, n := first, 0; n < 5000; n++ {
				f = future.Then(f, func(struct{}) (struct{}, error) { return struct{}{}, nil })
			}
			synctest.Wait()
			go p.ShutdownNow()
			<-p.Terminated()
			pooltest.CancelledByShutdown(t, first)
			pooltest.CancelledByShutdown(t, last)
			require.EqualValues(t, 2, p.Stats().Returned)
		}
	})
}

func TestSubmissionsThatRaceWithAShutdownAreRefusedOrSettled(t *testing.T) {
	for i := range 40 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { withRaceToShutdown(t, withColumn{i&1 != 0, i&2 != 0, i&4 != 0}) })
		})
	}
}

func withRaceToShutdown(t *testing.T, c withColumn) {
	p := c.pool(t, 2)
	var mu sync.Mutex
	var futures []*future.Future[struct{}]
	refused := 0
	submit := func(f *executor.ScheduledFuture[struct{}], err error) {
		mu.Lock()
		defer mu.Unlock()
		if err == nil {
			futures = append(futures, f.Future)
		} else if errors.Is(err, executor.ErrShutdown) {
			refused++
		}
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 10 {
				time.Sleep(time.Duration(rand.IntN(3)))
				submit(p.Schedule(time.Duration(rand.IntN(3)), pooltest.Nothing))
				submit(p.AtFixedRate(time.Duration(rand.IntN(3)), 1, pooltest.Nothing, executor.MaxRuns(5)))
			}
		})
	}
	wg.Go(func() {
		time.Sleep(7)
		c.shutdown(p)
	})
	wg.Wait()
	pooltest.Elapse(time.Hour)
	assert.Equal(t, 160, len(futures)+refused)
	for _, f := range futures {
		assert.True(t, f.State().Settled(), "%v", f)
	}
	assert.True(t, pooltest.IsClosed(p.Terminated()))
	s := p.Stats()
	assert.EqualValues(t, len(futures), s.Accepted)
	assert.EqualValues(t, refused, s.Rejected)
	assert.Equal(t, s.Accepted, s.Completed+s.Returned)
}
