package executor_test

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
	"github.com/punctual-go/punctual/future"
)

func TestSTPE080_ShutdownIsSeenAtOnceAndDoesNotWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		withSubmit(t, p, withSleep(time.Hour))
		synctest.Wait()
		assert.Equal(t, "running", p.Stats().State)
		start := time.Now()
		p.Shutdown()
		assert.Zero(t, time.Since(start))
		assert.Equal(t, "shutting down", p.Stats().State)
		_, err := p.Submit(withNothing)
		assert.ErrorIs(t, err, executor.ErrShutdown)
	})
}

func TestSTPE080_ShutdownTwiceIsShutdownOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		f := withSchedule(t, p, time.Hour, withNothing)
		p.Shutdown()
		p.Shutdown()
		assert.Equal(t, "shutting down", p.Stats().State)
		assert.Equal(t, 1, p.Stats().Queued)
		withPassed(2 * time.Hour)
		assert.NoError(t, withOutcome(t, f.Future))
	})
}

func TestSTPE081_B38_TerminatedClosesWhenTheLastTaskHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2)
		start := time.Now()
		withSubmit(t, p, withSleep(time.Hour))
		withSubmit(t, p, withSleep(time.Minute))
		synctest.Wait()
		assert.False(t, withTerminated(p))
		p.Shutdown()
		assert.False(t, withTerminated(p))
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
				p = withPool(t, 1, executor.AfterTermination(func() { inHook = p.Stats().State }))
				withSubmit(t, p, withSleep(time.Second))
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
		p := withPool(t, 1)
		withSchedule(t, p, time.Hour, withNothing, executor.Name("kept"))
		withSubmit(t, p, withNewGate(t).hold)
		synctest.Wait()
		p.Shutdown()
		assert.Equal(t, []string{"kept"}, withNames(p.ShutdownNow()))
		assert.Equal(t, "stopping", p.Stats().State)
		p.Shutdown()
		assert.Equal(t, "stopping", p.Stats().State)
	})
}

func TestSTPE088_ATaskCancelledBeforeShutdownDoesNotDelayTermination(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		f := withSchedule(t, p, time.Hour, withNothing)
		f.Cancel()
		p.Shutdown()
		synctest.Wait()
		assert.True(t, withTerminated(p))
	})
}

func TestSTPE089_ShutdownWaitsForAFarTaskByDefault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		withSchedule(t, p, 1000*time.Hour, tr.task("far"))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"far 1000h0m0s"}, tr.seen())
		assert.Equal(t, 1000*time.Hour, time.Since(tr.start))
	})
}

// In Java this needs removal on cancel, or a purge.
func TestSTPE090_CancellingTheFarTaskAfterShutdownTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		f := withSchedule(t, p, 1000*time.Hour, withNothing)
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
	p := withPool(t, core)
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
		g := withNewGate(t)
		var cause error
		f, err := executor.Submit(&p.Pool, func(ctx context.Context) (string, error) {
			<-g.opened
			cause = context.Cause(ctx)
			return "value", nil
		})
		require.NoError(t, err)
		synctest.Wait()

		assert.Empty(t, c.shutdown(p))
		assert.Equal(t, future.Running, f.State())
		assert.False(t, withTerminated(p))
		g.open()
		synctest.Wait()
		r, ok := f.Poll()
		require.True(t, ok)
		assert.Equal(t, future.Result[string]{Value: "value"}, r)
		if c.now {
			assert.Equal(t, executor.ErrShutdown, cause)
		} else {
			assert.NoError(t, cause)
		}
		assert.True(t, withTerminated(p))
	})
}

// withDue queues one task of each kind that is due behind a running task.
func withDue(t *testing.T, p *executor.ScheduledPool, tr *withTrace) []*future.Future[struct{}] {
	require.NoError(t, p.Execute(tr.task("executed")))
	submitted := withSubmit(t, p, tr.task("submitted"))
	immediate := withSchedule(t, p, 0, tr.task("immediate"))
	negative := withSchedule(t, p, -time.Hour, tr.task("negative"))
	elapsed := withSchedule(t, p, time.Minute, tr.task("elapsed"))
	withPassed(2 * time.Minute)
	return []*future.Future[struct{}]{submitted, immediate.Future, negative.Future, elapsed.Future}
}

func TestSTPE083_MatrixQueuedDueTasksRunInEveryCase(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := withNewGate(t)
		withSubmit(t, p, g.hold)
		synctest.Wait()
		tr := withNewTrace()
		futures := withDue(t, p, tr)

		dropped := c.shutdown(p)
		for _, f := range futures {
			assert.Equal(t, c.now, f.State().Settled())
		}
		g.open()
		synctest.Wait()
		if c.now { // Java leaves the futures pending
			assert.Len(t, dropped, 5)
			assert.Empty(t, tr.seen())
		} else {
			want := []string{"executed 2m0s", "submitted 2m0s", "immediate 2m0s", "negative 2m0s", "elapsed 2m0s"}
			assert.Equal(t, want, tr.seen())
		}
		for _, f := range futures {
			if c.now {
				withShutDown(t, f)
			} else {
				assert.NoError(t, withOutcome(t, f))
			}
		}
		assert.True(t, withTerminated(p))
	})
}

func TestSTPE084_E5_MatrixQueuedOneShotNotYetDue(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := withNewTrace()
		f := withSchedule(t, p, time.Hour, tr.task("late"), executor.Name("late"))
		synctest.Wait()

		dropped := c.shutdown(p)
		if c.delayed && !c.now {
			assert.Equal(t, future.Pending, f.State())
			<-p.Terminated()
			assert.Equal(t, []string{"late 1h0m0s"}, tr.seen())
			assert.NoError(t, withOutcome(t, f.Future))
			assert.Equal(t, time.Hour, time.Since(tr.start))
			return
		}
		withShutDown(t, f.Future)
		assert.Zero(t, p.Stats().Queued)
		if c.now {
			assert.Equal(t, []string{"late"}, withNames(dropped))
		}
		synctest.Wait()
		assert.True(t, withTerminated(p))
		withPassed(2 * time.Hour)
		assert.Empty(t, tr.seen())
	})
}

func TestSTPE085_STPE087_MatrixQueuedSeries(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := withNewTrace()
		rate := withRate(t, p, time.Hour, time.Hour, tr.task("rate"), executor.Name("rate"))
		delay := withDelay(t, p, 90*time.Minute, time.Hour, tr.task("delay"), executor.Name("delay"))
		synctest.Wait()

		dropped := c.shutdown(p)
		if c.periodic && !c.now {
			withPassed(3 * time.Hour)
			assert.Equal(t, []string{"rate 1h0m0s", "delay 1h30m0s", "rate 2h0m0s", "delay 2h30m0s", "rate 3h0m0s"}, tr.seen())
			assert.Equal(t, future.Pending, rate.State())
			assert.Equal(t, future.Pending, delay.State())
			assert.False(t, withTerminated(p))
			return
		}
		withShutDown(t, rate.Future)
		withShutDown(t, delay.Future)
		if c.now {
			assert.Equal(t, []string{"rate", "delay"}, withNames(dropped))
		}
		synctest.Wait()
		assert.True(t, withTerminated(p))
		withPassed(3 * time.Hour)
		assert.Empty(t, tr.seen())
	})
}

func TestSTPE085_MatrixQueuedSeriesThatIsDue(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := withNewGate(t)
		withSubmit(t, p, g.hold)
		synctest.Wait()
		tr := withNewTrace()
		f := withRate(t, p, 0, time.Hour, tr.task("due"), executor.Name("due"))
		withPassed(time.Minute)

		dropped := c.shutdown(p)
		kept := c.periodic && !c.now
		assert.Equal(t, !kept, f.State().Settled())
		g.open()
		synctest.Wait()
		if kept {
			assert.Equal(t, []string{"due 1m0s"}, tr.seen())
			assert.False(t, withTerminated(p))
			return
		}
		withShutDown(t, f.Future)
		if c.now {
			assert.Equal(t, []string{"due"}, withNames(dropped))
		}
		assert.Empty(t, tr.seen())
		assert.True(t, withTerminated(p))
	})
}

func TestSTPE086_STPE097_MatrixRunningSeries(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		tr := withNewTrace()
		causes := make(chan error, 3)
		f := withRate(t, p, 0, time.Hour, func(ctx context.Context) error {
			tr.mark("run")
			time.Sleep(time.Minute)
			causes <- context.Cause(ctx)
			return nil
		})
		synctest.Wait()

		assert.Len(t, c.shutdown(p), c.handedBack())
		assert.Equal(t, future.Running, f.State())
		withPassed(time.Minute)
		if cause := <-causes; c.now {
			assert.Equal(t, executor.ErrShutdown, cause)
		} else {
			assert.NoError(t, cause)
		}
		if c.periodic && !c.now {
			assert.Equal(t, future.Pending, f.State())
			withPassed(2 * time.Hour)
			assert.Equal(t, []string{"run 0s", "run 1h0m0s", "run 2h0m0s"}, tr.seen())
			assert.False(t, withTerminated(p))
			return
		}
		withShutDown(t, f.Future)
		assert.True(t, withTerminated(p))
		assert.Equal(t, time.Minute, time.Since(tr.start))
		withPassed(2 * time.Hour)
		assert.Equal(t, []string{"run 0s"}, tr.seen())
	})
}

func TestSTPE097_MatrixRunningSeriesThatFails(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		g := withNewGate(t)
		f := withRate(t, p, 0, time.Hour, func(context.Context) error {
			<-g.opened
			panic(errWith)
		})
		synctest.Wait()
		assert.Len(t, c.shutdown(p), c.handedBack())
		g.open()
		synctest.Wait()
		assert.ErrorIs(t, withOutcome(t, f.Future), errWith)
		assert.Equal(t, future.StateFailed, f.State())
		assert.True(t, withTerminated(p))
	})
}

// Java's ShutdownNow hands cancelled tasks back too.
func TestSTPE088_MatrixCancelledTasksAreGone(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 1)
		once := withSchedule(t, p, time.Hour, withNothing)
		series := withRate(t, p, time.Hour, time.Hour, withNothing)
		once.Cancel()
		series.Stop()
		assert.Empty(t, c.shutdown(p))
		synctest.Wait()
		assert.True(t, withTerminated(p))
		assert.Equal(t, future.ErrCancelled, withOutcome(t, once.Future))
		assert.Equal(t, future.ErrCancelled, withOutcome(t, series.Future))
		s := p.Stats()
		assert.Equal(t, []uint64{2, 2, 0}, []uint64{s.Accepted, s.Cancelled, s.Returned})
	})
}

func TestSTPE087_STPE089_MatrixTermination(t *testing.T) {
	withMatrix(t, func(t *testing.T, c withColumn) {
		p := c.pool(t, 2)
		start := time.Now()
		withSubmit(t, p, withSleep(10*time.Minute))
		series := withRate(t, p, 0, time.Hour, withSleep(5*time.Minute))
		withSchedule(t, p, 2*time.Hour, withNothing)
		synctest.Wait()

		c.shutdown(p)
		if c.periodic && !c.now {
			withPassed(9*time.Hour + 30*time.Minute)
			assert.False(t, withTerminated(p))
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
		tr := withNewTrace()
		g := withNewGate(t)
		withSubmit(t, p, g.hold)
		synctest.Wait()
		withSchedule(t, p, time.Minute, tr.task("due"))
		f := withSchedule(t, p, time.Minute+1, tr.task("not due"))
		withPassed(time.Minute)
		p.Shutdown()
		withShutDown(t, f.Future)
		g.open()
		<-p.Terminated()
		assert.Equal(t, []string{"due 1m0s"}, tr.seen())
	})
}

func TestSTPE087_AfterShutdownASeriesThatFailsLetsThePoolTerminate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 2)
		start, runs := time.Now(), 0
		f := withDelay(t, p, time.Hour, time.Hour, func(context.Context) error {
			if runs++; runs == 5 {
				panic(errWith)
			}
			return nil
		})
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, 5*time.Hour, time.Since(start))
		assert.ErrorIs(t, withOutcome(t, f.Future), errWith)
	})
}

func TestSTPE087_AfterShutdownTheLastOfMaxRunsLetsThePoolTerminate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 2)
		start := time.Now()
		f := withRate(t, p, time.Hour, time.Hour, withNothing, executor.MaxRuns(3))
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, 3*time.Hour, time.Since(start))
		assert.NoError(t, withOutcome(t, f.Future))
	})
}

// Changes of a policy after Shutdown.

func TestSTPE091_DelayedSetToFalseAfterShutdownSweepsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 1)
		tr := withNewTrace()
		once := withSchedule(t, p, time.Hour, tr.task("once"))
		series := withRate(t, p, time.Hour, time.Hour, tr.task("series"))
		p.Shutdown()
		p.SetExecuteDelayedAfterShutdown(false)
		withShutDown(t, once.Future)
		assert.Equal(t, future.Pending, series.State())
		withPassed(time.Hour)
		assert.Equal(t, []string{"series 1h0m0s"}, tr.seen())
	})
}

func TestSTPE091_PeriodicSetToFalseAfterShutdownSweepsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 1)
		tr := withNewTrace()
		once := withSchedule(t, p, time.Hour, tr.task("once"))
		series := withRate(t, p, time.Hour, time.Hour, tr.task("series"))
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		withShutDown(t, series.Future)
		assert.Equal(t, future.Pending, once.State())
		<-p.Terminated()
		assert.Equal(t, []string{"once 1h0m0s"}, tr.seen())
	})
}

func TestSTPE091_ASweepThatEmptiesTheQueueTerminates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{delayed: true, periodic: true}.pool(t, 3)
		withSchedule(t, p, time.Hour, withNothing)
		withRate(t, p, time.Hour, time.Hour, withNothing)
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		p.SetExecuteDelayedAfterShutdown(false)
		synctest.Wait()
		assert.True(t, withTerminated(p))
	})
}

func TestSTPE091_PeriodicSetToFalseAfterShutdownEndsARunningSeriesAfterItsRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{periodic: true}.pool(t, 1)
		tr := withNewTrace()
		f := withRate(t, p, 0, time.Hour, func(ctx context.Context) error {
			tr.mark("run")
			time.Sleep(time.Minute)
			return ctx.Err()
		})
		synctest.Wait()
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(false)
		assert.Equal(t, future.Running, f.State())
		<-p.Terminated()
		withShutDown(t, f.Future)
		assert.Equal(t, time.Minute, time.Since(tr.start))
		assert.Equal(t, []string{"run 0s"}, tr.seen())
	})
}

func TestSTPE091_APolicySetToTrueAfterShutdownRevivesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		g := withNewGate(t)
		withSubmit(t, p, g.hold)
		synctest.Wait()
		tr := withNewTrace()
		once := withSchedule(t, p, time.Hour, tr.task("once"))
		series := withRate(t, p, time.Hour, time.Hour, tr.task("series"))
		p.Shutdown()
		p.SetExecuteDelayedAfterShutdown(true)
		p.SetContinuePeriodicAfterShutdown(true)
		withShutDown(t, once.Future)
		withShutDown(t, series.Future)
		assert.Zero(t, p.Stats().Queued)
		g.open()
		synctest.Wait()
		assert.True(t, withTerminated(p))
		withPassed(2 * time.Hour)
		assert.Empty(t, tr.seen())
	})
}

func TestSTPE091_PeriodicSetToTrueAfterShutdownKeepsARunningSeries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := withNewTrace()
		f := withDelay(t, p, 0, time.Hour, func(context.Context) error {
			tr.mark("run")
			time.Sleep(time.Minute)
			return nil
		})
		synctest.Wait()
		p.Shutdown()
		p.SetContinuePeriodicAfterShutdown(true)
		withPassed(2*time.Hour + 2*time.Minute)
		assert.Equal(t, []string{"run 0s", "run 1h1m0s", "run 2h2m0s"}, tr.seen())
		assert.False(t, f.State().Settled())
	})
}

func TestSTPE091_APolicySetAfterShutdownNowChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := withNewTrace()
		f := withRate(t, p, 0, time.Hour, func(context.Context) error {
			tr.mark("run")
			time.Sleep(time.Minute)
			return nil
		})
		synctest.Wait()
		p.ShutdownNow()
		p.SetContinuePeriodicAfterShutdown(true)
		p.SetExecuteDelayedAfterShutdown(true)
		<-p.Terminated()
		withShutDown(t, f.Future)
		assert.Equal(t, []string{"run 0s"}, tr.seen())
	})
}

// ShutdownNow.

func TestSTPE092_ShutdownNowEmptiesTheQueueAndInterruptsWhatRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 2)
		g := withNewGate(t)
		running := []*future.Future[struct{}]{withSubmit(t, p, g.heed), withSubmit(t, p, g.heed)}
		synctest.Wait()
		for i := range 5 {
			withSubmit(t, p, withNothing, executor.Name(fmt.Sprint(i)))
		}
		assert.Equal(t, []string{"0", "1", "2", "3", "4"}, withNames(p.ShutdownNow()))
		assert.Zero(t, p.Stats().Queued)
		<-p.Terminated()
		for _, f := range running {
			assert.Equal(t, executor.ErrShutdown, withOutcome(t, f))
			assert.Equal(t, future.StateFailed, f.State())
		}
		s := p.Stats()
		assert.Equal(t, []uint64{7, 2, 5, 2}, []uint64{s.Accepted, s.Completed, s.Returned, s.Runs})
	})
}

func TestSTPE092_ShutdownNowEndsContextsDerivedFromARun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		f := withSubmit(t, p, func(ctx context.Context) error {
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
		assert.Equal(t, executor.ErrShutdown, withOutcome(t, f))
	})
}

// Java hands out the futures themselves.
func TestSTPE093_ShutdownNowHandsBackEveryDelayedAndPeriodicTask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		start := time.Now()
		withRate(t, p, 0, 3*time.Hour, withNothing, executor.Name("rate"))
		withPassed(time.Hour)
		withSchedule(t, p, time.Hour, withNothing, executor.Name("once"))
		withDelay(t, p, time.Minute, time.Hour, withNothing, executor.Name("delay"))

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
		p := withPool(t, 1)
		futures := []*future.Future[struct{}]{
			withSchedule(t, p, time.Hour, withNothing).Future,
			withRate(t, p, time.Hour, time.Hour, withNothing).Future,
			withDelay(t, p, time.Hour, time.Hour, withNothing).Future,
		}
		p.ShutdownNow()
		for _, f := range futures {
			withShutDown(t, f)
			assert.True(t, withClosed(f.Stopped()))
			assert.False(t, f.Cancel())
		}
	})
}

// Java's list is not sorted.
func TestSTPE095_ShutdownNowHandsBackInOrderOfTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		withSubmit(t, p, withNewGate(t).hold)
		synctest.Wait()
		for i, m := range []int{50, 1, 40, 2, 30, 20, 1, 10, 50} {
			withSchedule(t, p, time.Duration(m)*time.Minute, withNothing, executor.Name(fmt.Sprintf("%d#%d", m, i)))
		}
		withPassed(5 * time.Minute)
		want := []string{"1#1", "1#6", "2#3", "10#7", "20#5", "30#4", "40#2", "50#0", "50#8"}
		assert.Equal(t, want, withNames(p.ShutdownNow()))
	})
}

// In Java a drained task cancels itself instead.
func TestSTPE096_ADrainedTaskCanBeRunByHandAndItsFutureStaysCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		tr := withNewTrace()
		f := withSchedule(t, p, time.Hour, tr.task("by hand"))
		typed, err := executor.Schedule(p, time.Hour, func(context.Context) (int, error) { return 1, errWith })
		require.NoError(t, err)
		dropped := p.ShutdownNow()
		require.Len(t, dropped, 2)
		assert.NoError(t, dropped[0].Task(context.Background()))
		assert.Equal(t, errWith, dropped[1].Task(context.Background()))
		assert.Equal(t, []string{"by hand 0s"}, tr.seen())
		withShutDown(t, f.Future)
		r, ok := typed.Poll()
		require.True(t, ok)
		assert.Zero(t, r.Value)
		assert.ErrorIs(t, r.Err, executor.ErrShutdown)
	})
}

func TestSTPE098_ASecondShutdownNowReturnsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 1)
		withSchedule(t, p, time.Hour, withNothing)
		assert.Len(t, p.ShutdownNow(), 1)
		assert.Empty(t, p.ShutdownNow())
	})
}

func TestSTPE098_AfterTerminationNothingChangesAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		hooks := 0
		p := withPool(t, 2, executor.AfterTermination(func() { hooks++ }))
		withSubmit(t, p, withNothing)
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
		p := withPool(t, 1)
		tr := withNewTrace()
		withSubmit(t, p, withSleep(time.Minute))
		withSubmit(t, p, tr.task("due"))
		late := withSchedule(t, p, time.Hour, tr.task("late"))
		series := withRate(t, p, time.Hour, time.Hour, tr.task("series"))
		require.NoError(t, p.Close())
		assert.Equal(t, time.Minute, time.Since(tr.start))
		assert.Equal(t, []string{"due 1m0s"}, tr.seen())
		withShutDown(t, late.Future)
		withShutDown(t, series.Future)
	})
}

// How a shutdown meets what happens at the same time.

func TestShutdownSendsIdleWorkersHomeAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 8)
		for range 8 {
			withSubmit(t, p, withSleep(time.Second))
		}
		long := withSubmit(t, p, withSleep(time.Hour))
		withPassed(time.Minute)
		require.Equal(t, 8, p.Stats().Workers)
		p.Shutdown()
		synctest.Wait()
		assert.Equal(t, 1, p.Stats().Workers)
		assert.Equal(t, future.Running, long.State())
	})
}

func TestShutdownLeavesWorkersForTheTasksToCome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withPool(t, 3)
		tr := withNewTrace()
		for range 3 {
			withSchedule(t, p, time.Hour, func(context.Context) error {
				tr.mark("start")
				time.Sleep(time.Minute)
				return nil
			})
		}
		p.Shutdown()
		<-p.Terminated()
		assert.Equal(t, []string{"start 1h0m0s", "start 1h0m0s", "start 1h0m0s"}, tr.seen())
		assert.Equal(t, time.Hour+time.Minute, time.Since(tr.start))
	})
}

func TestTerminatedClosesOnlyWhenEveryDrainedFutureIsSettled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 5 {
			p := withPool(t, 1)
			first := withSchedule(t, p, time.Hour, withNothing).Future
			last := withSchedule(t, p, 2*time.Hour, withNothing).Future
			// Many futures depend on the first, so that the idle worker is gone before it is settled.
			for f, n := first, 0; n < 5000; n++ {
				f = future.Then(f, func(struct{}) (struct{}, error) { return struct{}{}, nil })
			}
			synctest.Wait()
			go p.ShutdownNow()
			<-p.Terminated()
			withShutDown(t, first)
			withShutDown(t, last)
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
				submit(p.Schedule(time.Duration(rand.IntN(3)), withNothing))
				submit(p.AtFixedRate(time.Duration(rand.IntN(3)), 1, withNothing, executor.MaxRuns(5)))
			}
		})
	}
	wg.Go(func() {
		time.Sleep(7)
		c.shutdown(p)
	})
	wg.Wait()
	withPassed(time.Hour)
	assert.Equal(t, 160, len(futures)+refused)
	for _, f := range futures {
		assert.True(t, f.State().Settled(), "%v", f)
	}
	assert.True(t, withTerminated(p))
	s := p.Stats()
	assert.EqualValues(t, len(futures), s.Accepted)
	assert.EqualValues(t, refused, s.Rejected)
	assert.Equal(t, s.Accepted, s.Completed+s.Returned)
}
