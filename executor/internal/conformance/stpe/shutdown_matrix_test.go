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

// withColumn is a column of the matrix of what a shutdown does to each kind of task, under every
// setting of the policies.
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
		assert.False(t, probe.IsClosed(p.Terminated()))
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
		assert.True(t, probe.IsClosed(p.Terminated()))
	})
}

// withDue queues one task of each kind that is due behind a running task.
func withDue(t *testing.T, p *executor.ScheduledPool, tr *pooltest.Trace) []*future.Future[struct{}] {
	require.NoError(t, p.Execute(tr.Task("executed")))
	submitted := pooltest.Submit(t, p, tr.Task("submitted"))
	immediate := pooltest.Schedule(t, p, 0, tr.Task("immediate"))
	negative := pooltest.Schedule(t, p, -time.Hour, tr.Task("negative"))
	elapsed := pooltest.Schedule(t, p, time.Minute, tr.Task("elapsed"))
	probe.Elapse(2 * time.Minute)
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
		assert.True(t, probe.IsClosed(p.Terminated()))
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
		assert.True(t, probe.IsClosed(p.Terminated()))
		probe.Elapse(2 * time.Hour)
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
			probe.Elapse(3 * time.Hour)
			assert.Equal(t, []string{"rate 1h0m0s", "delay 1h30m0s", "rate 2h0m0s", "delay 2h30m0s", "rate 3h0m0s"}, tr.Seen())
			assert.Equal(t, future.Pending, rate.State())
			assert.Equal(t, future.Pending, delay.State())
			assert.False(t, probe.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, rate.Future)
		pooltest.CancelledByShutdown(t, delay.Future)
		if c.now {
			assert.Equal(t, []string{"rate", "delay"}, pooltest.Names(dropped))
		}
		synctest.Wait()
		assert.True(t, probe.IsClosed(p.Terminated()))
		probe.Elapse(3 * time.Hour)
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
		probe.Elapse(time.Minute)

		dropped := c.shutdown(p)
		kept := c.periodic && !c.now
		assert.Equal(t, !kept, f.State().Settled())
		g.Open()
		synctest.Wait()
		if kept {
			assert.Equal(t, []string{"due 1m0s"}, tr.Seen())
			assert.False(t, probe.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, f.Future)
		if c.now {
			assert.Equal(t, []string{"due"}, pooltest.Names(dropped))
		}
		assert.Empty(t, tr.Seen())
		assert.True(t, probe.IsClosed(p.Terminated()))
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
		probe.Elapse(time.Minute)
		if cause := <-causes; c.now {
			assert.Equal(t, executor.ErrShutdown, cause)
		} else {
			assert.NoError(t, cause)
		}
		if c.periodic && !c.now {
			assert.Equal(t, future.Pending, f.State())
			probe.Elapse(2 * time.Hour)
			assert.Equal(t, []string{"run 0s", "run 1h0m0s", "run 2h0m0s"}, tr.Seen())
			assert.False(t, probe.IsClosed(p.Terminated()))
			return
		}
		pooltest.CancelledByShutdown(t, f.Future)
		assert.True(t, probe.IsClosed(p.Terminated()))
		assert.Equal(t, time.Minute, time.Since(tr.Start))
		probe.Elapse(2 * time.Hour)
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
		assert.True(t, probe.IsClosed(p.Terminated()))
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
		assert.True(t, probe.IsClosed(p.Terminated()))
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
			probe.Elapse(9*time.Hour + 30*time.Minute)
			assert.False(t, probe.IsClosed(p.Terminated()))
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
