package stpe_test

import (
	"context"
	"fmt"
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
		probe.Elapse(time.Hour)
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
			assert.True(t, probe.IsClosed(f.Stopped()))
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
		probe.Elapse(5 * time.Minute)
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
		p := pooltest.NewScheduledPool(t, 2, executor.AfterTermination(func() { hooks++ }))
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
