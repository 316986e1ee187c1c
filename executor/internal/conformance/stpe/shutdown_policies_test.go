package stpe_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/punctual-go/punctual/executor"
	"github.com/punctual-go/punctual/executor/internal/pooltest"
	"github.com/punctual-go/punctual/future"
	"github.com/punctual-go/punctual/internal/probe"
)

func TestSTPE083_ADelayThatHasJustElapsedCountsAsDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := withColumn{}.pool(t, 1)
		tr := pooltest.NewTrace()
		g := pooltest.NewGate(t)
		pooltest.Submit(t, p, g.Hold)
		synctest.Wait()
		pooltest.Schedule(t, p, time.Minute, tr.Task("due"))
		f := pooltest.Schedule(t, p, time.Minute+1, tr.Task("not due"))
		probe.Elapse(time.Minute)
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
		probe.Elapse(time.Hour)
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
		assert.True(t, probe.IsClosed(p.Terminated()))
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
		assert.True(t, probe.IsClosed(p.Terminated()))
		probe.Elapse(2 * time.Hour)
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
		probe.Elapse(2*time.Hour + 2*time.Minute)
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
